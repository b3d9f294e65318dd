// SPDX-License-Identifier: BSD-3-Clause
// Hierarchical all-reduce in two levels, "hierarchical:INNER/OUTER", any two other algorithms.
// Two levels as in A. Awan et al., "Scalable distributed DNN training using TensorFlow and
// CUDA-aware MPI", CCGrid 2019, and before that J. L. Traeff and A. Rougier, "MPI collectives and
// datatypes for hierarchical all-to-all communication", EuroMPI 2014 ("full-lane" algorithms: every
// rank of a node talks to its counterpart, so that all of a node's network links are used).
//
// With N nodes of m ranks: where INNER has two phases, reduce-scatter inside each node, all-reduce
// of each rank's shard between the nodes by OUTER, all-gather inside. Where it has not, INNER
// inside each node, then OUTER between the nodes on every lane. Nodes with more ranks than the
// smallest one fold them into partners on the same node first.
//
// With g = 1 when nodes differ in size, else 0, and e the most ranks that one rank absorbs:
// Steps: steps of INNER on m + steps of OUTER on N + 2 g.
// Volume: of INNER on m + of OUTER on N / b + e, with b the number of shards (1 without two
// phases). Exact when nodes are equal, otherwise no rank sends more.
#include <fmt/format.h>

#include "collectives/operation/algorithm.hpp"
#include "collectives/schedule/nest.hpp"
#include "kernels/base/error.hpp"

namespace shardstone::collectives {

namespace {

/// The two levels of a topology, cut down to equal nodes.
struct Levels {
    Topology inside;
    Topology between;
    int most_absorbed;

    explicit Levels(const Topology& topology)
        : inside(Topology::one_node(topology.smallest_node())),
          between(Topology::blocked(topology.nodes(), 1)),
          most_absorbed((topology.largest_node() - 1) / topology.smallest_node()) {}
    int fold_steps() const { return most_absorbed > 0 ? 1 : 0; }
};

/// Lanes beyond the smallest node's go to the lanes below, in turn.
Fold fold_of(const Topology& topology, int rank, int lanes) {
    const auto ranks = topology.ranks_on(topology.node_of(rank));
    const int lane = topology.lane_of(rank);
    if (lane >= lanes) return {ranks[static_cast<std::size_t>(lane % lanes)], {}};
    Fold fold;
    for (auto extra = static_cast<std::size_t>(lane + lanes); extra < ranks.size();
         extra += static_cast<std::size_t>(lanes)) {
        fold.absorbed.push_back(ranks[extra]);
    }
    return fold;
}

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
            Embedding place = blocks_.of_inner(channel);
            place.first_step = first_step;
            place.rank = [node](int lane) { return node[static_cast<std::size_t>(lane)]; };
            embed(inner, place, woven_);
        }
    }

    void add_outer(const RankProgram& outer, int shard, int first_step) {
        const auto lane = static_cast<std::size_t>(topology_.lane_of(rank_));
        Embedding place = blocks_.of_outer(shard);
        place.first_step = first_step;
        place.rank = [this, lane](int node) { return topology_.ranks_on(node)[lane]; };
        embed(outer, place, woven_);
    }

    RankProgram build() { return woven_.build(); }

  private:
    const Topology& topology_;
    int rank_;
    NestedBlocks blocks_;
    ProgramBuilder woven_;
};

class Hierarchical {
  public:
    Hierarchical(Algorithm inner, Algorithm outer)
        : inner_(std::move(inner)), outer_(std::move(outer)) {}

    int steps(const Topology& topology) const {
        const Levels levels(topology);
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
        const Fold fold = fold_of(topology, rank, levels.inside.size());
        const RankProgram core = core_program(topology, levels, rank, fold.partner < 0);
        const RankProgram folded =
            in_sequence(fold_in(fold, core.channels), levels.fold_steps(), core);
        return in_sequence(folded, steps(topology) - levels.fold_steps(),
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

Algorithm level(std::string_view name, std::string_view arguments) {
    Algorithm algorithm = find_algorithm("all_reduce", name);
    require(algorithm.has_schedule(), [&] {
        return fmt::format("hierarchical:{}: {} has no schedule to nest; use one that has",
                           arguments, name);
    });
    return algorithm;
}

Algorithm make(std::string_view arguments) {
    const auto slash = arguments.find('/');
    require(slash != std::string_view::npos && arguments.find(':') == std::string_view::npos, [&] {
        return fmt::format(
            "hierarchical:{}: name two levels, inner/outer, e.g. hierarchical:ring/rabenseifner",
            arguments);
    });
    const Algorithm inner = level(arguments.substr(0, slash), arguments);
    const Algorithm outer = level(arguments.substr(slash + 1), arguments);
    const auto both = std::make_shared<const Hierarchical>(inner, outer);
    Algorithm algorithm;
    algorithm.operation = "all_reduce";
    algorithm.name = fmt::format("hierarchical:{}", arguments);
    algorithm.summary = fmt::format("{} inside nodes, {} between them", inner.name, outer.name);
    algorithm.citation = fmt::format("{}; {}", inner.citation, outer.citation);
    algorithm.steps_formula =
        "those of the inner on m + of the outer on N + 2 g  (N nodes of m ranks; g: 1 if uneven)";
    algorithm.volume_formula = "inner on m + outer on N / shards + ranks absorbed";
    algorithm.steps = [both](const Topology& topology) { return both->steps(topology); };
    algorithm.volume = [both](const Topology& topology) { return both->volume(topology); };
    algorithm.program = [both](const Topology& topology, int rank) {
        return both->program(topology, rank);
    };
    return algorithm;
}

const AlgorithmRegistration registration(AlgorithmFamily{
    "all_reduce", "hierarchical", "hierarchical:INNER/OUTER", {"ring/rabenseifner"}, make});

}  // namespace

}  // namespace shardstone::collectives
