// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>

#include "benchmarks/collectives/accuracy/accuracy.hpp"
#include "results/format/record.hpp"

namespace shardstone::benchmarks {

/// Puts the study into a record. Local; for rank 0.
///
/// Configuration: every option in force. Derived: table "accuracy", a row each (operation,
/// algorithm, type, elements, depth, max_ulp, rms_ulp, bound_ulp, share_of_bound, same_in_all_runs,
/// same_on_all_ranks, as_scheduled: 1 or 0, not a number where it does not apply; digest of the
/// bits, the same in rows that agree). One check each.
void complete_accuracy_record(std::span<const SumAccuracy> all, const SweepOptions& chosen,
                              const AccuracyOptions& options, results::Record& record);

}  // namespace shardstone::benchmarks
