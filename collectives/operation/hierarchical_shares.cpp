// SPDX-License-Identifier: BSD-3-Clause
// All-gather and reduce-scatter in two levels, with unequal nodes folded to equal lanes.
#include "collectives/operation/hierarchical_shares.hpp"

#include <fmt/format.h>

#include <utility>

#include "collectives/operation/derive.hpp"
#include "collectives/schedule/levels.hpp"

namespace shardstone::collectives {

namespace {

std::vector<BlockRange> all_shares(int size) {
    return {{0, size}};
}

/// What one rank does in each of the parts of a hierarchical all-gather or reduce-scatter.
class Parts {
  public:
    Parts(const Topology& topology, int rank)
        : topology_(topology),
          levels_(topology),
          rank_(rank),
          fold_(fold_to_lanes(topology, rank, levels_.lanes())) {}

    const Levels& levels() const { return levels_; }

    RankProgram between(const Algorithm& outer) const {
        RankProgramBuilder all(topology_.size());
        if (fold_.partner >= 0) return all.build();
        const int lane = topology_.lane_of(rank_);
        SharePlacement lanes;
        lanes.rank = [this, lane](int node) { return bundle(node, lane).front(); };
        lanes.shares = [this, lane](int node) { return bundle(node, lane); };
        embed_shares(outer.program(levels_.between, topology_.node_of(rank_)), lanes, all);
        return all.build();
    }

    RankProgram inside(const Algorithm& inner) const {
        RankProgramBuilder all(topology_.size());
        if (fold_.partner >= 0) return all.build();
        const int my_node = topology_.node_of(rank_);
        SharePlacement lanes;
        lanes.rank = [=, this](int lane) { return bundle(my_node, lane).front(); };
        lanes.shares = [this](int lane) {
            std::vector<int> shares;
            for (int node = 0; node < levels_.nodes(); ++node) {
                for (const int rank : bundle(node, lane)) shares.push_back(rank);
            }
            return shares;
        };
        embed_shares(inner.program(levels_.inside, topology_.lane_of(rank_)), lanes, all);
        return all.build();
    }

    /// Between a rank that stands for others and them: their shares, to or from it.
    RankProgram shares_of_folded(bool to_them) const {
        const TransferKind get = TransferKind::receive_replace;
        RankProgramBuilder all(topology_.size());
        if (fold_.partner >= 0) {
            all.add({to_them ? get : TransferKind::send, 0, 0, fold_.partner, {rank_, 1}});
        }
        for (const int other : fold_.absorbed) {
            all.add({to_them ? TransferKind::send : get, 0, 0, other, {other, 1}});
        }
        return all.build();
    }

    RankProgram fold_in() const {
        return collectives::fold_in(fold_, all_shares(topology_.size()));
    }
    RankProgram fold_out() const {
        return collectives::fold_out(fold_, all_shares(topology_.size()));
    }

  private:
    std::vector<int> bundle(int node, int lane) const {
        return ranks_of_lane(topology_, node, lane, levels_.lanes());
    }

    const Topology& topology_;
    Levels levels_;
    int rank_;
    Fold fold_;
};

struct Both {
    Algorithm inner;
    Algorithm outer;

    int steps(const Levels& levels) const {
        return inner.steps(levels.inside) + outer.steps(levels.between) + 2 * levels.fold_steps();
    }

    double volume(const Topology& topology) const {
        const Levels levels(topology);
        const double shares = levels.nodes() * levels.lanes() * inner.volume(levels.inside) +
                              levels.nodes() * outer.volume(levels.between);
        return (1 + levels.most_absorbed) * shares / topology.size() + levels.most_absorbed;
    }

    RankProgram all_gather(const Topology& topology, int rank) const {
        const Parts parts(topology, rank);
        const int folds = parts.levels().fold_steps();
        const int between = outer.steps(parts.levels().between);
        const RankProgram lanes =
            in_sequence(parts.shares_of_folded(false), folds, parts.between(outer));
        const RankProgram whole = in_sequence(lanes, folds + between, parts.inside(inner));
        return in_sequence(whole, steps(parts.levels()) - folds, parts.fold_out());
    }

    RankProgram reduce_scatter(const Topology& topology, int rank) const {
        const Parts parts(topology, rank);
        const int folds = parts.levels().fold_steps();
        const int inside = inner.steps(parts.levels().inside);
        const RankProgram lanes = in_sequence(parts.fold_in(), folds, parts.inside(inner));
        const RankProgram whole = in_sequence(lanes, folds + inside, parts.between(outer));
        return in_sequence(whole, steps(parts.levels()) - folds, parts.shares_of_folded(true));
    }
};

Algorithm make(const std::string& operation, std::string_view arguments) {
    const std::string name = fmt::format("hierarchical:{}", arguments);
    const LevelNames names = level_names("hierarchical", arguments);
    const Algorithm inner = find_level(operation, names.inner, name);
    const Algorithm outer = find_level(operation, names.outer, name);
    const auto both = std::make_shared<const Both>(Both{inner, outer});
    Algorithm algorithm;
    algorithm.name = name;
    algorithm.summary = fmt::format("{} inside nodes, {} between them", inner.name, outer.name);
    algorithm.citation =
        fmt::format("Traeff and Rougier 2014; {}; {}", inner.citation, outer.citation);
    algorithm.steps_formula =
        "those of the inner on m + of the outer on N + 2 g  (N nodes of m ranks; g: 1 if uneven)";
    algorithm.volume_formula = "inner on m + outer on N / m  (uneven nodes: no more than a bound)";
    algorithm.steps = [both](const Topology& topology) { return both->steps(Levels(topology)); };
    algorithm.volume = [both](const Topology& topology) { return both->volume(topology); };
    const bool gathers = operation == "all_gather";
    algorithm.program = [both, gathers](const Topology& topology, int rank) {
        return gathers ? both->all_gather(topology, rank) : both->reduce_scatter(topology, rank);
    };
    return algorithm;
}

}  // namespace

AlgorithmFamily hierarchical_shares(const std::string& operation,
                                    std::vector<std::string> members) {
    return {.name = "hierarchical",
            .grammar = "hierarchical:INNER/OUTER",
            .members = std::move(members),
            .make = [operation](std::string_view arguments) { return make(operation, arguments); },
            .over_transports = true};
}

}  // namespace shardstone::collectives
