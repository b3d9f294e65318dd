// SPDX-License-Identifier: BSD-3-Clause
// Graphs: captured work that is enqueued again with each launch, in streams of its own.
#include "validation/emulated_device/graphs.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "validation/emulated_device/block.hpp"
#include "validation/emulated_device/faults.hpp"

namespace shardstone::emulated {

namespace {

Work joint(MarkPointer awaits, MarkPointer reaches) {
    Work work;
    work.name = "a graph's begin or end";
    work.awaits = std::move(awaits);
    work.reaches = std::move(reaches);
    return work;
}

MarkPointer new_mark(cudaStream_t stream) {
    auto mark = std::make_shared<Mark>();
    mark->stream = stream;
    return mark;
}

}  // namespace

void join_capture(cudaStream_t stream, cudaStream_t captured) {
    stream->capture = captured->capture;
    stream->capture->graph->streams.push_back(stream);
}

bool are_streams_joined(const CUgraph_st& graph) {
    std::set<cudaStream_t> joined{graph.streams.front()};
    std::set<const Mark*> awaited;
    for (auto node = graph.nodes.rbegin(); node != graph.nodes.rend(); ++node) {
        // The last work of a stream must be what others wait for: what follows that is not joined.
        if (!joined.contains(node->stream)) {
            if (!awaited.contains(node->work.reaches.get())) return false;
            joined.insert(node->stream);
        }
        if (node->work.awaits != nullptr) awaited.insert(node->work.awaits.get());
    }
    return joined.size() == graph.streams.size();
}

bool have_same_shape(const CUgraph_st& one, const CUgraph_st& other) {
    if (one.nodes.size() != other.nodes.size() || one.streams.size() != other.streams.size()) {
        return false;
    }
    // Streams and marks as they correspond so far.
    std::map<const void*, const void*> theirs;
    const auto correspond = [&](const void* ours, const void* other_one) {
        if ((ours == nullptr) != (other_one == nullptr)) return false;
        return theirs.emplace(ours, other_one).first->second == other_one;
    };
    return std::ranges::equal(one.nodes, other.nodes, [&](const auto& a, const auto& b) {
        return a.work.name == b.work.name && correspond(a.stream, b.stream) &&
               correspond(a.work.awaits.get(), b.work.awaits.get()) &&
               correspond(a.work.reaches.get(), b.work.reaches.get()) &&
               (a.event == nullptr) == (b.event == nullptr);
    });
}

void launch_graph(CUgraphExec_st& graph, cudaStream_t stream) {
    const auto& captured = graph.graph.streams;
    const auto lane_of = [&](cudaStream_t one) {
        const auto at = std::ranges::find(captured, one) - captured.begin();
        return graph.lanes[static_cast<std::size_t>(at)];
    };
    std::map<const Mark*, MarkPointer> marks;  ///< of this launch, for those captured
    const auto mark_for = [&](const MarkPointer& mark) -> MarkPointer {
        if (mark == nullptr) return nullptr;
        MarkPointer& ours = marks[mark.get()];
        if (ours == nullptr) ours = new_mark(lane_of(mark->stream));
        return ours;
    };
    const MarkPointer begin = new_mark(stream);
    enqueue(stream, joint(nullptr, begin));
    if (graph.launched_in != nullptr && graph.launched_in != stream) {
        fault("a graph is launched in another stream than before, which is not emulated");
    }
    graph.launched_in = stream;
    share_thread_lines(graph.lanes.front()->line_of_execution, stream->line_of_execution);
    for (const cudaStream_t lane : graph.lanes) enqueue(lane, joint(begin, nullptr));
    for (const auto& node : graph.graph.nodes) {
        Work work = node.work;
        work.issued = std::make_shared<char>();
        work.awaits = mark_for(node.work.awaits);
        work.reaches = mark_for(node.work.reaches);
        if (node.event != nullptr) {
            work.reaches = new_mark(lane_of(node.stream));
            work.reaches->is_looked_at = node.event->is_looked_at;
            node.event->mark = work.reaches;
        }
        enqueue(lane_of(node.stream), std::move(work));
    }
    for (const cudaStream_t lane : graph.lanes) {
        const MarkPointer end = new_mark(lane);
        enqueue(lane, joint(nullptr, end));
        enqueue(stream, joint(end, nullptr));
    }
}

}  // namespace shardstone::emulated
