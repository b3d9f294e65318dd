// SPDX-License-Identifier: BSD-3-Clause
// How far clocks of nodes are ahead, and what they gain: from the surest readings of each round.
#include "validation/interconnect/node_clocks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "kernels/base/units.hpp"

namespace shardstone::validation {

namespace {

using results::ClockSampleRow;

/// The reading of each round that is known best, in the order of rounds.
std::vector<ClockSampleRow> surest_readings(ClockSamples samples, double rank) {
    std::map<double, ClockSampleRow> by_round;
    for (const auto& row : samples) {
        if (row.rank != rank) continue;
        const auto place = by_round.try_emplace(row.round, row).first;
        if (row.error_s < place->second.error_s) place->second = row;
    }
    std::vector<ClockSampleRow> surest;
    for (const auto& [round, row] : by_round) surest.push_back(row);
    return surest;
}

/// What one clock gains on the other in a second, from one reading to another.
double gain(const ClockSampleRow& from, const ClockSampleRow& to) {
    return (to.ahead_s - from.ahead_s) / (to.at_unix_s - from.at_unix_s);
}

double gain_error(const ClockSampleRow& from, const ClockSampleRow& to) {
    return (from.error_s + to.error_s) / (to.at_unix_s - from.at_unix_s);
}

/// Of a value that may be wrong by `error`, the amount.
Bounded amount_of(double value, double error) {
    const double amount = std::abs(value);
    return {amount, {std::max(0.0, amount - error), amount + error}};
}

results::ClockRow row_of(ClockSamples samples, double rank) {
    results::ClockRow row;
    row.rank = rank;
    row.readings = static_cast<double>(std::ranges::count(samples, rank, &ClockSampleRow::rank));
    row.offset_s = offset_of(samples, rank).interval.high;
    const auto surest = surest_readings(samples, rank);
    row.ahead_s = surest.back().ahead_s;
    row.error_s = surest.back().error_s;
    if (surest.size() < 2) return row;
    row.drift = gain(surest.front(), surest.back());
    row.drift_error = gain_error(surest.front(), surest.back());
    return row;
}

}  // namespace

std::vector<results::ClockRow> clock_rows(ClockSamples samples,
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

Bounded offset_of(ClockSamples samples, double rank) {
    Bounded worst;
    for (const auto& reading : surest_readings(samples, rank)) {
        const Bounded one = amount_of(reading.ahead_s, reading.error_s);
        worst.value = std::max(worst.value, one.value);
        worst.interval.low = std::max(worst.interval.low, one.interval.low);
        worst.interval.high = std::max(worst.interval.high, one.interval.high);
    }
    return worst;
}

std::optional<Bounded> drift_of(ClockSamples samples, double rank) {
    const auto surest = surest_readings(samples, rank);
    if (surest.size() < 2) return std::nullopt;
    return amount_of(gain(surest.front(), surest.back()),
                     gain_error(surest.front(), surest.back()));
}

double least_offset_s(const results::ClockRow& row) {
    return amount_of(row.ahead_s, row.error_s).interval.low;
}

double least_drift(const results::ClockRow& row) {
    return std::isfinite(row.drift) ? amount_of(row.drift, row.drift_error).interval.low : 0.0;
}

std::string in_words(const results::ClockRow& row) {
    std::string words = fmt::format(
        "rank {} on {}: {} {} +- {}", row.rank, row.host, format_time(std::abs(row.ahead_s)),
        row.ahead_s < 0.0 ? "behind" : "ahead", format_time(row.error_s));
    const double most_s = amount_of(row.ahead_s, row.error_s).interval.high;
    if (row.offset_s > most_s) {
        words += fmt::format(" (before the other tests at most {} off)", format_time(row.offset_s));
    }
    if (std::isfinite(row.drift)) {
        words +=
            fmt::format(", gains {:.3g} +- {:.2g} ppm", 1e6 * row.drift, 1e6 * row.drift_error);
    }
    return words;
}

std::string clocks_in_words(std::span<const results::ClockRow> rows) {
    const auto furthest = std::ranges::max(rows, {}, least_offset_s);
    const auto fastest = std::ranges::max(rows, {}, least_drift);
    std::string words;
    if (least_offset_s(furthest) > 0.0) {
        words = "furthest off: " + in_words(furthest);
    } else {
        const auto widest = std::ranges::max(rows, {}, &results::ClockRow::offset_s);
        words = fmt::format("none is seen to be off: at most {} (rank {} on {})",
                            format_time(widest.offset_s), widest.rank, widest.host);
    }
    const bool is_told = least_offset_s(furthest) > 0.0 && fastest.rank == furthest.rank;
    if (least_drift(fastest) > 0.0 && !is_told) words += "\n  drifts most: " + in_words(fastest);
    return words;
}

}  // namespace shardstone::validation
