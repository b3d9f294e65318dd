// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "benchmarks/harness/stall_watch.hpp"
#include "results/record/record.hpp"
#include "results/schema/stalls.hpp"

namespace shardstone::benchmarks {

/// Its row of table "outliers", without what names the point; of a training its iteration is a
/// step.
results::OutlierRow outlier_row(const Stall& stall);
std::vector<results::OutlierRow> outlier_rows(const std::vector<Stall>& stalls);
/// The stall that such a row was made of.
Stall stall_of(const results::OutlierRow& row);
/// Table "rank_times" of what is no sweep.
results::Table rank_times_table(const std::vector<RankPace>& times);
results::RankTimesRow rank_times_row(const RankPace& times);

/// What the user reads: how many samples were stalled, where and by whom; empty where none was.
/// What is excused is in the table only.
std::string stall_note(std::vector<results::OutlierRow> rows);

/// What --fail-on-outlier adds to a finished record, in place of what an earlier part of its run
/// added: a check that fails where its table "outliers" has a row that is not excused. The detail
/// says where, who and what.
void add_outlier_check(results::Record& record);
bool is_outlier_check(const results::Check& check);
results::Check outlier_check(std::vector<results::OutlierRow> rows);

}  // namespace shardstone::benchmarks
