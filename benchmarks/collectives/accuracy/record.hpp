// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "benchmarks/collectives/accuracy/accuracy.hpp"
#include "results/record/record.hpp"

namespace shardstone::benchmarks {

/// Starts a new record of the study: every option in force, and an empty table "accuracy". Local;
/// for rank 0.
void begin_accuracy_record(const SweepOptions& chosen, const AccuracyOptions& options,
                           results::Record& record);

/// Contribution of a sum to the record: a row of table "accuracy" (operation, algorithm, type,
/// elements, depth, max_ulp, rms_ulp, bound_ulp, share_of_bound, same_in_all_runs,
/// same_on_all_ranks, as_scheduled: 1 or 0, NaN if not applicable; digest of the bits, equal in
/// rows that agree), and a check.
results::Record part_of(const SumAccuracy& sum);

}  // namespace shardstone::benchmarks
