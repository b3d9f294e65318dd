// SPDX-License-Identifier: BSD-3-Clause
// Hierarchical all-reduce by leaders, "hierarchical_leaders:INNER/OUTER". N. Karonis et al.,
// "Exploiting hierarchy in parallel computer networks to optimize collective operation
// performance", IPDPS 2000; R. Graham et al., "Cheetah: a framework for scalable hierarchical
// collective operations", CCGrid 2011.
//
// INNER, a tree or a chain for both reduce and broadcast, to the first rank of each node, its
// leader; OUTER, any all-reduce, among the leaders; INNER from them. It sends fewer messages than
// "hierarchical", but only one link of each node is used.
//
// With N nodes of up to m ranks:
// Steps: of INNER's reduction and broadcast (the most of any node) + of OUTER on N.
// Volume: a leader sends that of OUTER on N, and a vector to each child in INNER; inside a node no
// rank sends more than one vector up and one to each child.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "collectives/operation/derive.hpp"
#include "collectives/schedule/leaders.hpp"

namespace shardstone::collectives {

namespace {

/// INNER both ways and OUTER.
struct Leaders {
    Algorithm up, outer, down;

    int up_steps(const Topology& topology) const { return most_inside(topology, up.steps); }
    int outer_steps(const Topology& topology) const {
        return outer.steps(between_leaders(topology));
    }

    int steps(const Topology& topology) const {
        return up_steps(topology) + outer_steps(topology) + most_inside(topology, down.steps);
    }

    double volume(const Topology& topology) const {
        const auto inside = [&](const Topology& node) {
            double most = 0.0;
            for (int lane = 0; lane < node.size(); ++lane) most = std::max(most, sends(node, lane));
            return most;
        };
        const auto leader = [&](const Topology& node) { return sends(node, 0); };
        using Volume = std::function<double(const Topology&)>;
        return std::max(
            most_inside(topology, Volume(inside)),
            most_inside(topology, Volume(leader)) + outer.volume(between_leaders(topology)));
    }

    RankProgram program(const Topology& topology, int rank) const {
        const RankProgram among = among_leaders(outer.program, topology, rank);
        const auto first = whole_channels(on_node(up.program, topology, rank), among.channels);
        const auto last = whole_channels(on_node(down.program, topology, rank), among.channels);
        const int up_end = up_steps(topology);
        return in_sequence(in_sequence(first, up_end, among), up_end + outer_steps(topology), last);
    }

  private:
    /// Vectors that a lane of a node sends in INNER, both ways.
    double sends(const Topology& node, int lane) const {
        std::ptrdiff_t vectors = 0;
        for (const Algorithm& way : {up, down}) {
            vectors += std::ranges::count(way.program(node, lane).actions, TransferKind::send,
                                          &BlockTransfer::kind);
        }
        return static_cast<double>(vectors);
    }

    /// The same program, whose vector is one block, in each channel over all of the channel's.
    static RankProgram whole_channels(const RankProgram& inner,
                                      const std::vector<BlockRange>& channels) {
        RankProgramBuilder all(channels);
        for (int c = 0; c < static_cast<int>(channels.size()); ++c) {
            const BlockRange owned = channels[static_cast<std::size_t>(c)];
            ProgramMapping whole;
            whole.channel = [c](int) { return c; };
            whole.blocks = [owned](BlockRange, int) { return owned; };
            embed(inner, whole, all);
        }
        return all.build();
    }
};

Algorithm make_hierarchical_leaders(std::string_view arguments) {
    const std::string name = fmt::format("hierarchical_leaders:{}", arguments);
    const LevelNames names = level_names("hierarchical_leaders", arguments);
    const auto parts = std::make_shared<const Leaders>(
        Leaders{find_level_in_one_piece("reduce", names.inner, name),
                find_level("all_reduce", names.outer, name),
                find_level_in_one_piece("broadcast", names.inner, name)});
    Algorithm algorithm;
    algorithm.name = name;
    algorithm.summary =
        fmt::format("{} to leaders of nodes and back, {} between them", names.inner, names.outer);
    algorithm.citation = fmt::format("Karonis et al. 2000; {}", parts->outer.citation);
    algorithm.steps_formula =
        "inner reduction and broadcast on m + outer on N  (N nodes of up to m ranks)";
    algorithm.volume_formula = "outer on N + children of a leader";
    algorithm.steps = [parts](const Topology& topology) { return parts->steps(topology); };
    algorithm.volume = [parts](const Topology& topology) { return parts->volume(topology); };
    algorithm.program = [parts](const Topology& topology, int rank) {
        return parts->program(topology, rank);
    };
    return algorithm;
}

const AlgorithmRegistration hierarchical_leaders_registration(
    "all_reduce", AlgorithmFamily{"hierarchical_leaders",
                                  "hierarchical_leaders:INNER/OUTER",
                                  {"binomial_tree/ring"},
                                  make_hierarchical_leaders});

}  // namespace

}  // namespace shardstone::collectives
