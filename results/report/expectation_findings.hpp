// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "results/report/section.hpp"
#include "results/report/sweep.hpp"

namespace shardstone::results {

/// Errors of the expected times of a sweep: those predicted by the cost model, and, which are no
/// predictions, the earlier measurements by which `auto` chose. Undecided if the points, or the
/// costs used by the model, were disturbed.
void add_expectation_findings(const ReportedSweep& sweep, Section& section);

}  // namespace shardstone::results
