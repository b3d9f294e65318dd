// SPDX-License-Identifier: BSD-3-Clause
// A schedule played in one process, rank by rank, gives the bits that the real ranks must produce.
#include "benchmarks/collectives/accuracy/replay.hpp"

#include <cstring>

#include "benchmarks/collectives/accuracy/playback.hpp"

namespace shardstone::benchmarks {

namespace {

using namespace collectives;
using Bytes = std::vector<std::byte>;

std::size_t bytes(const CollectiveSpec& spec, std::int64_t elements) {
    return static_cast<std::size_t>(elements * spec.vector.element_bytes());
}

Bytes stretch(const Bytes& vector, const Extent& place, const CollectiveSpec& spec) {
    const std::byte* const first = vector.data() + bytes(spec, place.begin);
    return {first, first + bytes(spec, place.count)};
}

/// A rank's input cut into blocks.
std::vector<Bytes> blocks_of(const RankProgram& program, const BlockLayout& layout,
                             const CollectiveSpec& spec, const SumInputs& inputs, int rank) {
    Bytes vector(bytes(spec, spec.vector.count));
    inputs.fill(vector.data(), spec.vector.count, rank);
    std::vector<Bytes> blocks;
    for (int b = 0; b < program.blocks(); ++b) {
        blocks.push_back(stretch(vector, layout.at(rank, b), spec));
    }
    return blocks;
}

}  // namespace

Extent result_place(const Operation& operation, const CollectiveSpec& spec, const RankRole& role) {
    const int blocks = operation.sharing == Sharing::by_rank ? role.size : 1;
    return BlockLayout(spec, operation.sharing, {{0, blocks}}, role.size)
        .span_of(operation.after, role);
}

std::vector<Bytes> scheduled_results(const Algorithm& algorithm, const Topology& topology,
                                     const CollectiveSpec& spec, const SumInputs& inputs) {
    const Operation& operation = *algorithm.operation;
    const Schedule schedule = make_schedule(
        algorithm, topology, segments_for(algorithm, spec.vector.size_bytes()), spec.root);
    const BlockLayout layout(spec, operation.sharing, schedule.programs.front().channels,
                             topology.size());
    Holdings<Bytes> held;
    for (int rank = 0; rank < topology.size(); ++rank) {
        const RankProgram& program = schedule.programs[static_cast<std::size_t>(rank)];
        held.push_back(blocks_of(program, layout, spec, inputs, rank));
    }
    const ReduceFunction reduce = reduce_function(spec.vector.type, Reduction::sum);
    play(schedule, held, [&](Bytes& mine, const Bytes& brought, int block) {
        reduce(mine.data(), brought.data(), layout.at(0, block).count);
    });
    std::vector<Bytes> results;
    for (int rank = 0; rank < topology.size(); ++rank) {
        Bytes vector(bytes(spec, spec.vector.count));
        const auto& blocks = held[static_cast<std::size_t>(rank)];
        for (std::size_t b = 0; b < blocks.size(); ++b) {
            const Extent place = layout.at(rank, static_cast<int>(b));
            if (place.count == 0) continue;
            std::memcpy(vector.data() + bytes(spec, place.begin), blocks[b].data(),
                        blocks[b].size());
        }
        results.push_back(stretch(
            vector, result_place(operation, spec, {topology.size(), spec.root, rank}), spec));
    }
    return results;
}

}  // namespace shardstone::benchmarks
