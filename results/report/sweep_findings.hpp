// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "results/report/section.hpp"
#include "results/report/sweep.hpp"

namespace shardstone::results {

/// "3.66 times faster", "1.20 times slower", with ", within the uncertainty" when the intervals
/// overlap or are unknown; that it is undecided where one of them was disturbed.
std::string advantage(const CollectiveRow& ours, const CollectiveRow& rival);

/// The same against a library's own of any record: which one, where it is another, and whether the
/// machine was the same then.
std::string advantage_over(const ReportedSweep& sweep, const CollectiveRow& ours,
                           const Rival& rival);

/// The headline of a sweep, as findings and tiles: what `auto` takes against the library's own at
/// the least and the greatest size, and over all sizes. What was
/// found to be best afterwards is no headline; the tables show it.
void add_sweep_findings(const std::vector<ReportedSweep>& sweeps, const ReportedSweep& sweep,
                        Section& section);

}  // namespace shardstone::results
