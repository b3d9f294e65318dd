// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "results/report/section.hpp"
#include "results/report/sweep.hpp"

namespace shardstone::results {

/// "3.66 times faster", "1.20 times slower", with ", within the uncertainty" when the intervals
/// overlap or are unknown; or that it is undecided, if one of them was disturbed.
std::string advantage(const CollectiveRow& ours, const CollectiveRow& rival);

/// The same against a library's own in any record, with the name of that record if it is another,
/// and whether the machine was the same then.
std::string advantage_over(const ReportedSweep& sweep, const CollectiveRow& ours,
                           const Rival& rival);

/// The headline of a sweep, as findings and tiles: the time of `auto` relative to the library's own
/// at the smallest and the largest size, and over all sizes. The best in hindsight is not a
/// headline; the tables show it.
void add_sweep_findings(const std::vector<ReportedSweep>& sweeps, const ReportedSweep& sweep,
                        Section& section);

}  // namespace shardstone::results
