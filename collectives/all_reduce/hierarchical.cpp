// SPDX-License-Identifier: BSD-3-Clause
// Hierarchical all-reduce in two levels, "hierarchical:INNER/OUTER", any two other algorithms, or
// in three, "hierarchical:INNER/MIDDLE/OUTER", and so on.
// Two levels as in A. Awan et al., "Scalable distributed DNN training using TensorFlow and
// CUDA-aware MPI", CCGrid 2019, and before that J. L. Traeff and A. Rougier, "MPI collectives and
// datatypes for hierarchical all-to-all communication", EuroMPI 2014 ("full-lane" algorithms: every
// rank of a node talks to its counterpart, so that all of a node's network links are used).
//
// With N nodes of m ranks: where INNER has two phases, reduce-scatter inside each node, all-reduce
// of each rank's shard between the nodes by OUTER, all-gather inside. Where it has not, INNER
// inside each node, then OUTER between the nodes on every lane. Nodes with more ranks than the
// smallest one fold them into partners on the same node first. With three levels, what runs between
// the nodes is "hierarchical:MIDDLE/OUTER" on pods of nodes (for what a pod is see levels.hpp).
//
// With g = 1 when nodes differ in size, else 0, and e the most ranks that one rank absorbs:
// Steps: steps of INNER on m + steps of OUTER on N + 2 g.
// Volume: of INNER on m + of OUTER on N / b + e, with b the number of shards (1 without two
// phases). Exact when nodes are equal, otherwise no rank sends more.
#include <fmt/format.h>

#include "collectives/operation/derive.hpp"
#include "collectives/schedule/levels.hpp"
#include "collectives/schedule/nest.hpp"

namespace shardstone::collectives {

namespace {

/// Weaves programs of one node's lanes, and of one lane's nodes, into the program of one rank.
class Weaver {
  public:
    Weaver(const Topology& topology, int rank, NestedBlocks blocks)
        : topology_(topology),
          rank_(rank),
          blocks_(std::move(blocks)),
          woven_(blocks_.channels()) {}

    void add_inner(const RankProgram& inner, int first_step) {
        const auto node = topology_.ranks_on(topology_.node_of(rank_));
        for (int channel = 0; channel < blocks_.outer_channels(); ++channel) {
            ProgramMapping place = blocks_.of_inner(channel);
            place.first_step = first_step;
            place.rank = [node](int lane) { return node[static_cast<std::size_t>(lane)]; };
            embed(inner, place, woven_);
        }
    }

    void add_outer(const RankProgram& outer, int shard, int first_step) {
        const auto lane = static_cast<std::size_t>(topology_.lane_of(rank_));
        ProgramMapping place = blocks_.of_outer(shard);
        place.first_step = first_step;
        place.rank = [this, lane](int node) { return topology_.ranks_on(node)[lane]; };
        embed(outer, place, woven_);
    }

    RankProgram build() { return woven_.build(); }

  private:
    const Topology& topology_;
    int rank_;
    NestedBlocks blocks_;
    RankProgramBuilder woven_;
};

class Hierarchical {
  public:
    Hierarchical(Algorithm inner, Algorithm outer)
        : inner_(std::move(inner)), outer_(std::move(outer)) {}

    int steps(const Levels& levels) const {
        return inner_.steps(levels.inside) + outer_.steps(levels.between) + 2 * levels.fold_steps();
    }

    double volume(const Topology& topology) const {
        const Levels levels(topology);
        const int shards = has_phases() ? inner_.program(levels.inside, 0).blocks() : 1;
        return inner_.volume(levels.inside) + outer_.volume(levels.between) / shards +
               levels.most_absorbed;
    }

    RankProgram program(const Topology& topology, int rank) const {
        const Levels levels(topology);
        const Fold fold = fold_to_lanes(topology, rank, levels.lanes());
        const RankProgram core = core_program(topology, levels, rank, fold.partner < 0);
        const RankProgram folded =
            in_sequence(fold_in(fold, core.channels), levels.fold_steps(), core);
        return in_sequence(folded, steps(levels) - levels.fold_steps(),
                           fold_out(fold, core.channels));
    }

  private:
    bool has_phases() const { return static_cast<bool>(inner_.reduce_scatter); }

    RankProgram core_program(const Topology& topology, const Levels& levels, int rank,
                             bool takes_part) const {
        const int node = takes_part ? topology.node_of(rank) : 0;
        const int lane = takes_part ? topology.lane_of(rank) : 0;
        const RankProgram outer = outer_.program(levels.between, node);
        const RankProgram first = has_phases() ? inner_.reduce_scatter(levels.inside, lane)
                                               : inner_.program(levels.inside, lane);
        Weaver weaver(topology, rank, NestedBlocks(first.channels, outer.channels));
        if (!takes_part) return weaver.build();

        const int first_steps = inner_.steps(levels.inside) / (has_phases() ? 2 : 1);
        const int outer_end = first_steps + outer_.steps(levels.between);
        weaver.add_inner(first, 0);
        for (int block = 0; block < first.blocks(); ++block) {
            if (!has_phases() || block == lane) weaver.add_outer(outer, block, first_steps);
        }
        if (has_phases()) weaver.add_inner(inner_.all_gather(levels.inside, lane), outer_end);
        return weaver.build();
    }

    Algorithm inner_;
    Algorithm outer_;
};

Algorithm make_hierarchical(std::string_view arguments) {
    const std::string name = fmt::format("hierarchical:{}", arguments);
    const LevelNames names = level_names("hierarchical", arguments);
    const Algorithm inner = find_level("all_reduce", names.inner, name);
    const Algorithm outer = find_level("all_reduce", names.outer, name);
    const auto both = std::make_shared<const Hierarchical>(inner, outer);
    Algorithm algorithm;
    algorithm.name = name;
    algorithm.summary = fmt::format("{} inside nodes, {} between them", inner.name, outer.name);
    algorithm.citation = fmt::format("{}; {}", inner.citation, outer.citation);
    algorithm.steps_formula =
        "those of the inner on m + of the outer on N + 2 g  (N nodes of m ranks; g: 1 if uneven)";
    algorithm.volume_formula = "inner on m + outer on N / shards + ranks absorbed";
    algorithm.steps = [both](const Topology& topology) { return both->steps(Levels(topology)); };
    algorithm.volume = [both](const Topology& topology) { return both->volume(topology); };
    algorithm.program = [both](const Topology& topology, int rank) {
        return both->program(topology, rank);
    };
    return algorithm;
}

const AlgorithmRegistration hierarchical_registration(
    "all_reduce", AlgorithmFamily{.name = "hierarchical",
                                  .grammar = "hierarchical:INNER/OUTER",
                                  .members = {"ring/rabenseifner", "ring/ring/rabenseifner"},
                                  .make = make_hierarchical,
                                  .over_transports = true});

}  // namespace

}  // namespace shardstone::collectives
