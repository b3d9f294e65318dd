// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "benchmarks/collectives/sweep/plan.hpp"

namespace shardstone::benchmarks {

/// Options of `shardstone collectives --accuracy` besides those shared with a sweep (the
/// operations, the algorithms, the root, the nodes).
struct AccuracyOptions {
    std::vector<std::string> types{"all"};     ///< --types
    std::vector<std::int64_t> elements{4096};  ///< --elements, of the whole vector
    int runs = 3;                              ///< --runs, of each, on equal inputs
};

/// The parsed options.
struct AccuracyPlan {
    SweepPlan sweep;  ///< operations and root; type and sizes are not used here
    std::vector<ElementType> types;
    std::vector<std::int64_t> elements;
    int runs = 3;
};

/// Local. "all" stands for every operation that reduces. Throws Error naming the option, its value
/// and valid ones.
AccuracyPlan plan_accuracy(const SweepOptions& chosen, const AccuracyOptions& options);

/// Lengths for one operation: the requested ones, each rounded to the nearest one that divides into
/// shares, without duplicates.
std::vector<std::int64_t> lengths_of(const AccuracyPlan& plan,
                                     const collectives::Operation& operation, int ranks);

}  // namespace shardstone::benchmarks
