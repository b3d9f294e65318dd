// SPDX-License-Identifier: BSD-3-Clause
// A stalled sample as a sentence: where in the run, which rank, how long instead of usually.
#include "results/schema/stalls_in_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <set>
#include <utility>

#include "kernels/base/units.hpp"

namespace shardstone::results {

namespace {

/// Whether the run timed samples one by one, so that what is in none was outside of them. A
/// pipeline study, an overlap and a calibration are watched as a whole.
bool has_samples(const OutlierRow& row) {
    return std::isfinite(row.size_bytes) || std::isfinite(row.usual_s);
}

bool is_outside(const OutlierRow& row) {
    return !(row.timed > 0.0) && has_samples(row);
}

std::string point_in_words(const OutlierRow& row) {
    if (!std::isfinite(row.size_bytes)) {
        return row.operation + (row.algorithm.empty() ? "" : ", " + row.algorithm);
    }
    return fmt::format(
        "{} {}, {}{}", row.operation, row.algorithm,
        format_size(static_cast<std::int64_t>(std::clamp(row.size_bytes, 0.0, 1e18))),
        row.in_place == 0.0 ? ", out of place" : "");
}

std::string moment_in_words(const OutlierRow& row) {
    const double number = std::isfinite(row.step) ? row.step : row.iteration;
    if (!std::isfinite(number)) return is_outside(row) ? "outside the timed parts" : "";
    return fmt::format("{}{} {:.0f}", row.timed > 0.0 ? "" : "before ",
                       std::isfinite(row.step) ? "step" : "iteration", number);
}

/// "a", "a and b", "a, b and c".
std::string joined(const std::vector<std::string>& words) {
    std::string text;
    for (std::size_t i = 0; i < words.size(); ++i) {
        text += (i == 0 ? "" : i + 1 == words.size() ? " and " : ", ") + words[i];
    }
    return text;
}

}  // namespace

std::string where_in_run(const OutlierRow& row) {
    const std::string point = point_in_words(row), moment = moment_in_words(row);
    return point + (point.empty() || moment.empty() ? "" : ", ") + moment;
}

std::string in_words(const OutlierRow& row) {
    std::string text = where_in_run(row);
    text += (text.empty() ? "" : ": ") + row.place;
    // A stall in a long sample may not change the digits that are printed.
    const std::string time = format_time(row.time_s), usual = format_time(row.usual_s);
    if (row.timed > 0.0 && time != usual) text += fmt::format(": {} instead of {}", time, usual);
    if (row.kept == 0.0) text += "; that try was repeated and does not count";
    return text + "; " + row.machine;
}

std::string counts_in_words(const std::vector<OutlierRow>& rows) {
    std::set<std::pair<std::string, double>> samples;
    std::int64_t outside = 0, others = 0, again = 0;
    for (const OutlierRow& row : rows) {
        if (row.kept == 0.0) {
            ++again;
        } else if (row.timed > 0.0) {
            samples.emplace(where_in_run(row), row.attempt);
        } else {
            ++(is_outside(row) ? outside : others);
        }
    }
    std::vector<std::string> kinds;
    const auto add = [&](std::int64_t count, const char* what, const char* where) {
        if (count > 0) kinds.push_back(counted(count, what) + where);
    };
    add(std::ssize(samples), "sample", "");
    add(outside, "stall", " outside the timed parts");
    add(others, "stall", "");
    add(again, "stall", " in repeated tries");
    return joined(kinds);
}

}  // namespace shardstone::results
