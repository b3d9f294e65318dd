// SPDX-License-Identifier: BSD-3-Clause
// Stalls in the record and on the screen.
#include "benchmarks/harness/stall_record.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "kernels/base/units.hpp"

namespace shardstone::benchmarks {

namespace {

std::string line_of(const Stall& stall) {
    const Outlier& one = stall.outlier;
    std::string line = "!   " + stall.place;
    if (stall.of_sample()) {
        line +=
            fmt::format(": {} instead of {}", format_time(one.time_s), format_time(one.usual_s));
    } else {
        line += ", outside of what was timed";
    }
    return line + "; " + stall.machine + "\n";
}

double number_or_none(int value) {
    return value < 0 ? results::not_measured : value;
}

}  // namespace

results::OutlierRow outlier_row(const Stall& stall) {
    const Outlier& one = stall.outlier;
    results::OutlierRow row;
    row.attempt = stall.attempt;
    row.kept = stall.kept ? 1.0 : 0.0;
    row.excused = stall.excused ? 1.0 : 0.0;
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

results::Table outliers_table(const std::vector<Stall>& stalls) {
    std::vector<results::OutlierRow> rows;
    for (const Stall& stall : stalls) rows.push_back(outlier_row(stall));
    return results::table_of(rows);
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

std::string stall_note(std::vector<Stall> stalls) {
    std::erase_if(stalls, &Stall::excused);
    if (stalls.empty()) return "";
    constexpr std::size_t most_listed = 3;
    const auto samples = std::ranges::count_if(stalls, &Stall::of_sample);
    std::string text = fmt::format(
        "! STALLED: {}, and {} outside of what was timed; all in table outliers\n",
        counted(samples, "sample"), counted(std::ssize(stalls) - samples, "standstill"));
    for (std::size_t i = 0; i < std::min(stalls.size(), most_listed); ++i) {
        text += line_of(stalls[i]);
    }
    return text;
}

results::Check outlier_check(const results::Record& record) {
    results::Check check{"no sample was stalled and no rank stood still", true, "none"};
    auto rows = results::rows_of<results::OutlierRow>(record);
    std::erase_if(rows, [](const auto& row) { return row.excused > 0.0; });
    if (rows.empty()) return check;
    const auto& first = rows.front();
    check.passed = false;
    check.detail = fmt::format("{} in table outliers, the first: {}, {}",
                               counted(std::ssize(rows), "row"), first.place, first.machine);
    return check;
}

}  // namespace shardstone::benchmarks
