// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "results/report/section.hpp"
#include "results/report/sweep.hpp"

namespace shardstone::results {

/// How far what was expected of a sweep's times was off: what the cost model predicted, and, which
/// is no prediction, what `auto` chose by because it was measured before. Undecided where the
/// points, or the costs that the model went by, were disturbed.
void add_expectation_findings(const ReportedSweep& sweep, Section& section);

}  // namespace shardstone::results
