// SPDX-License-Identifier: BSD-3-Clause
// Hierarchical reduction, "hierarchical:INNER/OUTER", any two other reductions that keep the vector
// in one piece. N. Karonis et al., "Exploiting hierarchy in parallel computer networks to optimize
// collective operation performance", IPDPS 2000; R. Graham et al., "Cheetah: a framework for
// scalable hierarchical collective operations", CCGrid 2011.
//
// INNER to the first rank of each node, its leader, then OUTER from the leaders to the root: the
// vector leaves each node once.
//
// With N nodes of up to m ranks: Steps: those of INNER (the most of any node) + of OUTER on N.
// Volume: every rank but the root sends 1 vector, in one of the two.
#include <fmt/format.h>

#include "collectives/operation/counts.hpp"
#include "collectives/operation/derive.hpp"
#include "collectives/schedule/leaders.hpp"

namespace shardstone::collectives {

namespace {

Algorithm make_hierarchical(std::string_view arguments) {
    const std::string name = fmt::format("hierarchical:{}", arguments);
    const LevelNames names = level_names("hierarchical", arguments);
    const Algorithm inner = find_level_in_one_piece("reduce", names.inner, name);
    const Algorithm outer = find_level_in_one_piece("reduce", names.outer, name);
    Algorithm algorithm;
    algorithm.name = name;
    algorithm.summary =
        fmt::format("{} to the leaders of nodes, {} between them", inner.name, outer.name);
    algorithm.citation = fmt::format("Karonis et al. 2000; {}; {}", inner.citation, outer.citation);
    algorithm.steps_formula =
        "those of the inner on m + of the outer on N  (N nodes of up to m ranks)";
    algorithm.volume_formula = "1";
    algorithm.steps = [=](const Topology& topology) {
        return most_inside(topology, inner.steps) + outer.steps(between_leaders(topology));
    };
    algorithm.volume = count::one_vector;
    algorithm.program = [=](const Topology& topology, int rank) {
        return in_sequence(on_node(inner.program, topology, rank),
                           most_inside(topology, inner.steps),
                           among_leaders(outer.program, topology, rank));
    };
    return algorithm;
}

const AlgorithmRegistration hierarchical_registration(
    "reduce", AlgorithmFamily{.name = "hierarchical",
                              .grammar = "hierarchical:INNER/OUTER",
                              .members = {"binomial_tree/binomial_tree"},
                              .make = make_hierarchical,
                              .over_transports = true});

}  // namespace

}  // namespace shardstone::collectives
