// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "benchmarks/harness/stall_watch.hpp"
#include "results/record/record.hpp"
#include "results/schema/stalls.hpp"

namespace shardstone::benchmarks {

/// The stall's row of table "outliers", without the identification of the point; for a training its
/// iteration is a step.
results::OutlierRow outlier_row(const Stall& stall);
std::vector<results::OutlierRow> outlier_rows(const std::vector<Stall>& stalls);
/// The stall from which such a row was made.
Stall stall_of(const results::OutlierRow& row);
/// Table "rank_times" of records other than sweeps.
results::Table rank_times_table(const std::vector<RankPace>& times);
results::RankTimesRow rank_times_row(const RankPace& times);

/// Note for the user: number of stalled samples, where and by which ranks; empty if there are none.
/// Excused stalls are only in the table.
std::string stall_note(std::vector<results::OutlierRow> rows);

/// Adds the check of --fail-on-outlier to a finished record, replacing that of an earlier part of
/// its run: it fails if the table "outliers" has a row that is not excused. The detail gives
/// position, rank and cause.
void add_outlier_check(results::Record& record);
bool is_outlier_check(const results::Check& check);
results::Check outlier_check(std::vector<results::OutlierRow> rows);

}  // namespace shardstone::benchmarks
