// SPDX-License-Identifier: BSD-3-Clause
#include "benchmarks/collectives/calibration/links.hpp"

#include <optional>

#include "benchmarks/harness/measure.hpp"
#include "collectives/executors/point_to_point.hpp"
#include "collectives/executors/reduction.hpp"
#include "collectives/executors/shared_memory.hpp"

namespace shardstone::benchmarks {

namespace {

using collectives::RankProgram;
using collectives::Topology;

/// Several shifts in a row, so that the common start, which no collective pays, weighs little.
constexpr int shifts = 8;

struct Neighbours {
    int to = -1, from = -1;
};

/// In the ring of all ranks of this rank's node, or of its lane over all nodes; none in a ring of
/// one, or where a neighbouring node has no such lane.
std::optional<Neighbours> neighbours(const Topology& topology, int rank, bool inside) {
    const int node = topology.node_of(rank);
    const int lane = topology.lane_of(rank);
    const int length = inside ? static_cast<int>(topology.ranks_on(node).size()) : topology.nodes();
    if (length < 2 || (!inside && lane >= topology.smallest_node())) return std::nullopt;
    const auto at = [&](int step) {
        const int place = ((inside ? lane : node) + step + length) % length;
        return inside ? topology.ranks_on(node)[static_cast<std::size_t>(place)]
                      : topology.ranks_on(place)[static_cast<std::size_t>(lane)];
    };
    return Neighbours{at(1), at(-1)};
}

/// One message goes to one neighbour while another comes from the other, again and again.
RankProgram shift_program(const std::optional<Neighbours>& ring) {
    collectives::ProgramBuilder program(2);
    for (int step = 0; ring && step < shifts; ++step) {
        program.send(step, ring->to, {0, 1});
        program.receive_replace(step, ring->from, {1, 1});
    }
    return program.build();
}

MeasurePolicy policy_of(double seconds) {
    MeasurePolicy policy;
    policy.time_limit_s = seconds;
    policy.from = TimeFrom::last_start;
    return policy;
}

std::unique_ptr<collectives::Executor> make_shifts(collectives::Communicator& communicator,
                                                   MessagePath path, const RankProgram& program,
                                                   std::int64_t size_bytes) {
    const auto& operation = collectives::find_operation("ring_shift");
    const collectives::CollectiveSpec spec{{size_bytes / 4, ElementType::fp32}, 0, {}};
    return path == MessagePath::shared_memory
               ? make_shared_memory_messages(communicator, program, operation, spec)
               : make_point_to_point(communicator, program, operation, spec);
}

}  // namespace

std::vector<TimedSize> measure_link(collectives::Communicator& communicator, MessagePath path,
                                    std::span<const std::int64_t> sizes_bytes, double seconds) {
    const bool inside = path != MessagePath::mpi_between_nodes;
    const RankProgram program =
        shift_program(neighbours(communicator.topology(), communicator.rank(), inside));
    std::vector<TimedSize> times;
    for (const std::int64_t size_bytes : sizes_bytes) {
        const std::vector<std::byte> sent(static_cast<std::size_t>(size_bytes));
        std::vector<std::byte> received(sent.size());
        const auto executor = make_shifts(communicator, path, program, size_bytes);
        const auto run = [&] { executor->run(sent.data(), received.data()); };
        times.push_back({size_bytes, measure(communicator, policy_of(seconds), run).samples_s});
        for (double& sample_s : times.back().samples_s) sample_s /= shifts;
    }
    return times;
}

std::vector<TimedSize> measure_reductions(const collectives::Communicator& communicator,
                                          ElementType type, collectives::Reduction reduction,
                                          std::span<const std::int64_t> sizes_bytes,
                                          double seconds) {
    const auto reduce = collectives::reduce_function(type, reduction);
    const auto element_bytes = static_cast<std::int64_t>(element_size(type));
    std::vector<TimedSize> times;
    for (const std::int64_t size_bytes : sizes_bytes) {
        std::vector<std::byte> mine(static_cast<std::size_t>(size_bytes));
        const std::vector<std::byte> theirs(mine.size());
        const auto run = [&] { reduce(mine.data(), theirs.data(), size_bytes / element_bytes); };
        times.push_back({size_bytes, measure(communicator, policy_of(seconds), run).samples_s});
    }
    return times;
}

}  // namespace shardstone::benchmarks
