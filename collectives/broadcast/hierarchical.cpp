// SPDX-License-Identifier: BSD-3-Clause
// Hierarchical broadcast, "hierarchical:INNER/OUTER", any two other broadcasts that keep the vector
// in one piece. N. Karonis et al., "Exploiting hierarchy in parallel computer networks to optimize
// collective operation performance", IPDPS 2000; R. Graham et al., "Cheetah: a framework for
// scalable hierarchical collective operations", CCGrid 2011.
//
// OUTER from the root to the first rank of each node, its leader, then INNER from the leaders: the
// vector enters each node once. The root is the leader of its own node.
//
// With N nodes of up to m ranks: Steps: those of OUTER on N + of INNER (the most of any node).
// Volume: the root sends that of OUTER on N + of INNER on m (exact where in both no rank sends more
// than the root, and its node is not smaller than others).
#include <fmt/format.h>

#include "collectives/operation/derive.hpp"
#include "collectives/schedule/leaders.hpp"

namespace shardstone::collectives {

namespace {

Algorithm make_hierarchical(std::string_view arguments) {
    const std::string name = fmt::format("hierarchical:{}", arguments);
    const LevelNames names = level_names("hierarchical", arguments);
    const Algorithm inner = find_level_in_one_piece("broadcast", names.inner, name);
    const Algorithm outer = find_level_in_one_piece("broadcast", names.outer, name);
    Algorithm algorithm;
    algorithm.name = name;
    algorithm.summary =
        fmt::format("{} between leaders of nodes, {} inside", outer.name, inner.name);
    algorithm.citation = fmt::format("Karonis et al. 2000; {}; {}", inner.citation, outer.citation);
    algorithm.steps_formula =
        "those of the outer on N + of the inner on m  (N nodes of up to m ranks)";
    algorithm.volume_formula = "that of the outer on N + of the inner on m";
    algorithm.steps = [=](const Topology& topology) {
        return outer.steps(between_leaders(topology)) + most_inside(topology, inner.steps);
    };
    algorithm.volume = [=](const Topology& topology) {
        return outer.volume(between_leaders(topology)) + most_inside(topology, inner.volume);
    };
    algorithm.program = [=](const Topology& topology, int rank) {
        return in_sequence(among_leaders(outer.program, topology, rank),
                           outer.steps(between_leaders(topology)),
                           on_node(inner.program, topology, rank));
    };
    return algorithm;
}

const AlgorithmRegistration hierarchical_registration(
    "broadcast", AlgorithmFamily{.name = "hierarchical",
                                 .grammar = "hierarchical:INNER/OUTER",
                                 .members = {"binomial_tree/binomial_tree"},
                                 .make = make_hierarchical,
                                 .over_transports = true});

}  // namespace

}  // namespace shardstone::collectives
