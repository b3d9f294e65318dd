// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "benchmarks/harness/stall_watch.hpp"
#include "results/format/record.hpp"
#include "results/schema/stalls.hpp"

namespace shardstone::benchmarks {

/// Its row of table "outliers", without what names the point or the step.
results::OutlierRow outlier_row(const Stall& stall);
/// Tables "outliers" and "rank_times" of what is neither a sweep nor a training.
results::Table outliers_table(const std::vector<Stall>& stalls);
results::Table rank_times_table(const std::vector<RankPace>& times);
results::RankTimesRow rank_times_row(const RankPace& times);

/// What the user reads: how many samples were stalled, by whom; empty where none was. What is
/// excused is in the table only.
std::string stall_note(std::vector<Stall> stalls);

/// What --fail-on-outlier adds to a finished record: fails where its table "outliers" has a row
/// that is not excused.
results::Check outlier_check(const results::Record& record);

}  // namespace shardstone::benchmarks
