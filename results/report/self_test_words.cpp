// SPDX-License-Identifier: BSD-3-Clause
// What the shares of a self-test come to, in words for screen and report.
#include "results/report/self_test_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "results/report/words.hpp"

namespace shardstone::results {

namespace {

/// "95 %", "7.11 %": round shares without zeros, since they stand within sentences.
std::string short_percent(double share) {
    return fmt::format("{:.3g} %", 100.0 * share);
}

using ColumnOfShares = double DetectionRow::*;

/// From which rate on, towards slower parts, a fault is seen with how many messages.
struct Threshold {
    double rate = 0.0;
    double repetitions = 0.0;
};

/// The mildest rate such that the share is reached there and at every slower one that was tested.
std::optional<double> mildest_rate(const std::map<double, double>& share_by_rate) {
    std::optional<double> mildest;
    for (const auto& [rate, share] : share_by_rate) {
        if (!(share >= seen_share)) break;
        mildest = rate;
    }
    return mildest;
}

std::optional<Threshold> threshold_of(const std::vector<DetectionRow>& rows,
                                      const std::string& fault, ColumnOfShares share) {
    std::map<double, std::map<double, double>> by_repetitions;
    for (const DetectionRow& row : rows) {
        if (row.fault == fault) by_repetitions[row.repetitions][row.rate] = row.*share;
    }
    std::optional<Threshold> best;
    for (const auto& [repetitions, shares] : by_repetitions) {
        const auto rate = mildest_rate(shares);
        if (rate && (!best || *rate > best->rate)) best = Threshold{*rate, repetitions};
    }
    return best;
}

std::string where_seen(const std::optional<Threshold>& seen) {
    if (!seen) return "at no rate tested";
    return fmt::format("in at least {} of trials at {} of its rate or less with {} per test",
                       short_percent(seen_share), short_percent(seen->rate),
                       plural(seen->repetitions, "message"));
}

/// What is detected and never named is told as well: tests of pairs see it, and cannot tell what.
std::string fault_in_words(const std::vector<DetectionRow>& rows, const std::string& fault) {
    const auto named = threshold_of(rows, fault, &DetectionRow::localised);
    std::string words = fmt::format("{} is named {}", fault, where_seen(named));
    if (named) return words;
    return words + ", and detected " +
           where_seen(threshold_of(rows, fault, &DetectionRow::detected));
}

std::string alarms_in_words(const std::vector<DetectionRow>& rows) {
    double most = 0.0, highest = 0.0;
    for (const DetectionRow& row : rows) {
        if (row.fault != healthy_clusters) continue;
        most = std::fmax(most, row.false_alarms);
        highest = std::fmax(highest, row.false_alarms_high);
    }
    return fmt::format("at most {} of healthy clusters raise an alarm (95 % interval up to {})",
                       short_percent(most), short_percent(highest));
}

}  // namespace

std::vector<std::string> detection_in_words(const std::vector<DetectionRow>& rows) {
    std::vector<std::string> faults;
    for (const DetectionRow& row : rows) {
        if (std::ranges::find(faults, row.fault) == faults.end()) faults.push_back(row.fault);
    }
    std::vector<std::string> lines;
    for (const std::string& fault : faults) {
        lines.push_back(fault == healthy_clusters ? alarms_in_words(rows)
                                                  : fault_in_words(rows, fault));
    }
    return lines;
}

}  // namespace shardstone::results
