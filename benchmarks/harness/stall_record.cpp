// SPDX-License-Identifier: BSD-3-Clause
// Stalls in the record and on the screen.
#include "benchmarks/harness/stall_record.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "results/schema/stalls_in_words.hpp"

namespace shardstone::benchmarks {

namespace {

using results::OutlierRow;

constexpr const char* outlier_check_name = "no sample was stalled and no rank stood still";

template <class Number>
double number_or_none(Number value) {
    return value < 0 ? results::not_measured : static_cast<double>(value);
}

/// A record may come from anywhere: what no run writes is none.
int number_or(double value, int none) {
    return value >= 0.0 && value <= std::numeric_limits<int>::max() ? static_cast<int>(value)
                                                                    : none;
}

/// Takes out what is excused, and puts what stands behind no figure last.
void leave_what_counts(std::vector<OutlierRow>& rows) {
    std::erase_if(rows, [](const OutlierRow& row) { return row.excused > 0.0; });
    std::ranges::stable_partition(rows, [](const OutlierRow& row) { return row.kept != 0.0; });
}

}  // namespace

results::OutlierRow outlier_row(const Stall& stall) {
    const Outlier& one = stall.outlier;
    results::OutlierRow row;
    row.attempt = stall.attempt;
    row.kept = stall.kept ? 1.0 : 0.0;
    row.excused = stall.excused ? 1.0 : 0.0;
    row.iteration = number_or_none(one.occasion.iteration);
    row.timed = one.occasion.timed ? 1.0 : 0.0;
    row.rank = number_or_none(one.rank);
    row.node = number_or_none(one.node);
    row.place = stall.place;
    row.at_s = stall.at_s;
    row.time_s = one.time_s;
    row.usual_s = one.usual_s;
    row.times_as_large = one.time_s / one.usual_s;
    row.still_s = one.standstill.still_s;
    row.waited_s = one.standstill.waited_s;
    row.switches = one.standstill.switches;
    row.faults = one.standstill.faults;
    row.stolen_s = one.standstill.stolen_s;
    row.machine = stall.machine;
    return row;
}

std::vector<results::OutlierRow> outlier_rows(const std::vector<Stall>& stalls) {
    std::vector<results::OutlierRow> rows;
    for (const Stall& stall : stalls) rows.push_back(outlier_row(stall));
    return rows;
}

Stall stall_of(const results::OutlierRow& row) {
    Stall stall;
    stall.attempt = number_or(row.attempt, 1);
    stall.kept = row.kept > 0.0;
    stall.excused = row.excused > 0.0;
    stall.at_s = row.at_s;
    stall.place = row.place;
    stall.machine = row.machine;
    Outlier& one = stall.outlier;
    one.occasion = {number_or(row.iteration, -1), row.timed > 0.0};
    one.rank = number_or(row.rank, Outlier::nobody);
    one.node = number_or(row.node, -1);
    one.time_s = row.time_s;
    one.usual_s = row.usual_s;
    Standstill& still = one.standstill;
    still.still_s = row.still_s;
    still.waited_s = row.waited_s;
    still.switches = row.switches;
    still.faults = row.faults;
    still.stolen_s = row.stolen_s;
    return stall;
}

results::RankTimesRow rank_times_row(const RankPace& times) {
    results::RankTimesRow row;
    row.rank = times.rank;
    row.node = times.node;
    row.own_s = times.own_s;
    row.factor = times.factor;
    row.late_s = times.late_s;
    return row;
}

results::Table rank_times_table(const std::vector<RankPace>& times) {
    std::vector<results::RankTimesRow> rows;
    for (const RankPace& one : times) rows.push_back(rank_times_row(one));
    return results::table_of(rows);
}

std::string stall_note(std::vector<OutlierRow> rows) {
    leave_what_counts(rows);
    if (rows.empty()) return "";
    constexpr std::size_t most_listed = 3;
    std::string text =
        fmt::format("! STALLED: {}; all in table outliers\n", results::counts_in_words(rows));
    for (std::size_t i = 0; i < std::min(rows.size(), most_listed); ++i) {
        text += "!   " + results::in_words(rows[i]) + "\n";
    }
    return text;
}

void add_outlier_check(results::Record& record) {
    std::erase_if(record.verification, is_outlier_check);
    record.verification.push_back(outlier_check(results::rows_of<OutlierRow>(record)));
}

bool is_outlier_check(const results::Check& check) {
    return check.name == outlier_check_name;
}

results::Check outlier_check(std::vector<OutlierRow> rows) {
    results::Check check{outlier_check_name, true, "none"};
    leave_what_counts(rows);
    if (rows.empty()) return check;
    check.passed = false;
    check.detail = results::in_words(rows.front());
    if (rows.size() > 1) {
        check.detail += fmt::format("; and {} more in table outliers", rows.size() - 1);
    }
    return check;
}

}  // namespace shardstone::benchmarks
