// SPDX-License-Identifier: BSD-3-Clause
// How far clocks of nodes are ahead, and what they gain: from the surest readings of each round.
#include "validation/interconnect/node_clocks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "kernels/base/statistics.hpp"
#include "kernels/base/units.hpp"

namespace shardstone::validation {

namespace {

using results::ClockSampleRow;

std::vector<ClockSampleRow> round_of(std::span<const ClockSampleRow> samples, double rank,
                                     double round) {
    std::vector<ClockSampleRow> chosen;
    for (const auto& row : samples) {
        if (row.rank == rank && row.round == round) chosen.push_back(row);
    }
    return chosen;
}

/// What one clock gains on the other in a second, from one reading to another.
double gain(const ClockSampleRow& from, const ClockSampleRow& to) {
    return (to.ahead_s - from.ahead_s) / (to.at_unix_s - from.at_unix_s);
}

results::ClockRow row_of(std::span<const ClockSampleRow> samples, double rank) {
    results::ClockRow row;
    row.rank = rank;
    row.readings = static_cast<double>(std::ranges::count(samples, rank, &ClockSampleRow::rank));
    row.offset_s = median(offsets_of(samples, rank));
    const auto before = round_of(samples, rank, 0.0), after = round_of(samples, rank, 1.0);
    const auto& last_round = after.empty() ? before : after;
    const auto last = std::ranges::min(last_round, {}, &ClockSampleRow::error_s);
    row.ahead_s = last.ahead_s;
    row.error_s = last.error_s;
    if (before.empty() || after.empty()) return row;
    const auto first = std::ranges::min(before, {}, &ClockSampleRow::error_s);
    row.drift = gain(first, last);
    row.drift_error = (first.error_s + last.error_s) / (last.at_unix_s - first.at_unix_s);
    return row;
}

}  // namespace

std::vector<results::ClockRow> clock_rows(std::span<const ClockSampleRow> samples,
                                          std::span<const results::RankPlaceRow> places) {
    std::vector<results::ClockRow> rows;
    for (const auto& place : places) {
        if (std::ranges::find(samples, place.rank, &ClockSampleRow::rank) == samples.end())
            continue;
        rows.push_back(row_of(samples, place.rank));
        rows.back().host = place.host;
    }
    return rows;
}

std::vector<double> drifts_of(std::span<const ClockSampleRow> samples, double rank) {
    const auto before = round_of(samples, rank, 0.0), after = round_of(samples, rank, 1.0);
    std::vector<double> drifts;
    for (std::size_t i = 0; i < std::min(before.size(), after.size()); ++i) {
        drifts.push_back(gain(before[i], after[i]));
    }
    return drifts;
}

std::vector<double> offsets_of(std::span<const ClockSampleRow> samples, double rank) {
    std::vector<double> offsets_s;
    for (const auto& row : samples) {
        if (row.rank == rank) offsets_s.push_back(std::abs(row.ahead_s) + row.error_s);
    }
    return offsets_s;
}

std::string in_words(const results::ClockRow& row) {
    const std::string drift =
        std::isfinite(row.drift)
            ? fmt::format(", gains {:.3g} +- {:.2g} ppm", 1e6 * row.drift, 1e6 * row.drift_error)
            : "";
    return fmt::format("rank {} on {}: at most {} off, by the surest reading {} {} +- {}{}",
                       row.rank, row.host, format_time(row.offset_s),
                       format_time(std::abs(row.ahead_s)), row.ahead_s < 0.0 ? "behind" : "ahead",
                       format_time(row.error_s), drift);
}

}  // namespace shardstone::validation
