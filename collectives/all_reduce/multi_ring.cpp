// SPDX-License-Identifier: BSD-3-Clause
// Several rings at once, "multi_ring:K", as in NCCL (S. Jeaugey, "NCCL 2.0", GTC 2017): each takes
// 1 / K of the vector round the ranks in another order, so that more links carry it than those
// between neighbours.
//
// Ring c goes from rank to rank in strides that have no factor in common with P: 1, P - 1 (the same
// ring the other way round), then the next larger one and its opposite, and so on, from the
// beginning again where P has fewer than K.
//
// Steps (of one ring): 2 (P - 1). Volume: every rank sends 2 (P - 1) / P of the vector, the least
// possible.
#include <fmt/format.h>

#include <numeric>
#include <vector>

#include "collectives/operation/counts.hpp"
#include "collectives/operation/derive.hpp"
#include "collectives/schedule/compose.hpp"

namespace shardstone::collectives {

namespace {

std::vector<int> strides(int size, int rings) {
    std::vector<int> coprime;
    for (int stride = 1; 2 * stride <= size || stride == 1; ++stride) {
        if (std::gcd(stride, size) != 1) continue;
        coprime.push_back(stride);
        if (2 * stride < size) coprime.push_back(size - stride);
    }
    std::vector<int> chosen;
    for (std::size_t ring = 0; ring < static_cast<std::size_t>(rings); ++ring) {
        chosen.push_back(coprime[ring % coprime.size()]);
    }
    return chosen;
}

RankProgram multi_ring_program(const Topology& topology, int rank, int rings) {
    const int size = topology.size();
    std::vector<BlockRange> channels;
    for (int c = 0; c < rings; ++c) channels.push_back({c * size, size});
    RankProgramBuilder all(channels);
    const Algorithm ring = find_algorithm("all_reduce", "ring");
    int c = 0;
    for (const int stride : strides(size, rings)) {
        const auto rank_at = [=](int place) {
            return static_cast<int>(std::int64_t{place} * stride % size);
        };
        int place = 0;
        while (rank_at(place) != rank) ++place;
        ProgramMapping round;
        round.rank = rank_at;
        round.channel = [=](int) { return c; };
        round.blocks = [=](BlockRange blocks, int) {
            return BlockRange{c * size + blocks.first, blocks.count};
        };
        embed(ring.program(topology, place), round, all);
        ++c;
    }
    return all.build();
}

Algorithm make_multi_ring(std::string_view argument) {
    const int rings = number_argument("multi_ring", argument, "a number of rings", 1, 64);
    Algorithm algorithm;
    algorithm.name = fmt::format("multi_ring:{}", rings);
    algorithm.summary =
        fmt::format("{} rings with other neighbours, a part of the vector each", rings);
    algorithm.citation = "Jeaugey 2017";
    algorithm.steps_formula = "2 (P - 1) per ring";
    algorithm.volume_formula = "2 (P - 1) / P";
    algorithm.steps = [](const Topology& topology) { return 2 * (topology.size() - 1); };
    algorithm.volume = [](const Topology& topology) {
        return 2 * count::all_but_a_share(topology);
    };
    algorithm.program = [rings](const Topology& topology, int rank) {
        return multi_ring_program(topology, rank, rings);
    };
    return algorithm;
}

const AlgorithmRegistration multi_ring_registration(
    "all_reduce", AlgorithmFamily{"multi_ring", "multi_ring:K", {"2", "4"}, make_multi_ring});

}  // namespace

}  // namespace shardstone::collectives
