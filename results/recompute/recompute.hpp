// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "results/record/record.hpp"

namespace shardstone::results {

/// A figure of a derived table that is not what the samples of its record give, or a number among
/// the samples that no run could have measured.
struct Mismatch {
    std::string table;
    std::size_t row = 0;  ///< from 0
    /// What names it: "all_reduce ring 4 KiB". Empty: `table` is no table, but "configuration" or
    /// another document of the record, and `column` a field of it.
    std::string row_name = {};
    std::string column;
    double recorded = 0.0;
    double recomputed = 0.0;
    /// Of a column of texts, in place of the numbers.
    std::string recorded_text = {}, recomputed_text = {};
    /// Of an impossible sample, in place of `recomputed`: "above 0 and finite".
    std::string must_be = {};
};

/// "table collectives, row 3 (all_reduce ring 4 KiB), time_s: 1.5e-05, but its samples give
/// 1.2e-05", or "table pair_samples, row 5 (number 6), time_s: -1, but it must be above 0 and
/// finite", or "configuration, soak_s: '28800', but its samples give '30.1'".
std::string in_words(const Mismatch& mismatch);

struct Recomputed {
    std::size_t figures = 0;  ///< compared
    std::vector<Mismatch> wrong;
};

/// Comparisons for records whose findings are derived beyond `results`, in a library that registers
/// them with a namespace-scope instance; `compare` does nothing where its tables are missing.
class ComparisonRegistration {
  public:
    explicit ComparisonRegistration(void (*compare)(const Record&, Recomputed&));
};

/// Computes the figures of the derived tables again from the samples of the record, by the rules of
/// kernels/base/statistics.hpp and the definitions in results/schema, and compares: medians,
/// intervals, percentiles, means, rates and ratios of sweeps, trainings, kernels, pipelines,
/// overlap, single steps and machine peaks, asymmetries and nodes in short from the facts of nodes,
/// and what others have registered. What has no samples in the record (predictions, losses, bytes,
/// fits) is not compared. Where samples are impossible, these are what is wrong, and what follows
/// from them is not computed. Records of every version; one whose tables lack columns throws Error
/// (require_readable()).
Recomputed recompute(const Record& record);

}  // namespace shardstone::results
