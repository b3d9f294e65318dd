// SPDX-License-Identifier: BSD-3-Clause
// A limit becomes one for each of its subjects; the worst of them is its verdict.
#include "validation/interconnect/limits_in_force.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "validation/interconnect/limited_subjects.hpp"

namespace shardstone::validation {

namespace {

results::AcceptanceRow row_of(const AcceptanceFinding& finding, const std::string& subject) {
    results::AcceptanceRow row;
    row.quantity = finding.limit.quantity;
    row.statistic = finding.limit.statistic;
    row.size_bytes = static_cast<double>(finding.limit.size_bytes);
    row.limit = finding.limit.limit;
    row.unit = finding.limit.unit;
    row.subject = subject;
    row.value = finding.value;
    row.low = finding.interval.low;
    row.high = finding.interval.high;
    row.confidence = finding.confidence;
    row.samples = static_cast<double>(finding.samples);
    row.further = static_cast<double>(finding.further);
    row.verdict = to_string(finding.acceptance);
    row.source = finding.limit.source;
    return row;
}

/// Whether `one` is worse than `other`, of the same limit.
bool is_worse(const AcceptanceFinding& one, const AcceptanceFinding& other) {
    constexpr auto gravity = [](Acceptance acceptance) {
        return acceptance == Acceptance::fail ? 2 : acceptance == Acceptance::inconclusive ? 1 : 0;
    };
    if (one.acceptance != other.acceptance) {
        return gravity(one.acceptance) > gravity(other.acceptance);
    }
    return one.limit.at_least ? one.value < other.value : one.value > other.value;
}

}  // namespace

std::vector<results::AcceptanceRow> judge_limits_in_force(const InterconnectSamples& samples,
                                                          std::span<const Place> places,
                                                          std::span<const PairTime> times) {
    std::vector<AcceptanceLimit> limits;  // of each subject
    std::vector<std::string> names;
    std::vector<std::vector<double>> values;
    std::vector<std::size_t> numbers;
    for (std::size_t number = 0; number < samples.limits.size(); ++number) {
        auto subjects = subjects_of(samples.limits[number], samples, places, times);
        if (subjects.empty()) subjects.push_back({"nothing measured", {}});
        for (LimitedSubject& subject : subjects) {
            limits.push_back(samples.limits[number]);
            names.push_back(std::move(subject.name));
            values.push_back(std::move(subject.samples));
            numbers.push_back(number);
        }
    }
    const auto findings = judge_limits(limits, values);
    std::vector<results::AcceptanceRow> rows;
    for (std::size_t number = 0; number < samples.limits.size(); ++number) {
        std::size_t worst = numbers.size();
        for (std::size_t i = 0; i < numbers.size(); ++i) {
            if (numbers[i] != number) continue;
            if (worst == numbers.size() || is_worse(findings[i], findings[worst])) worst = i;
        }
        rows.push_back(row_of(findings[worst], names[worst]));
    }
    return rows;
}

std::string against_limit(const results::AcceptanceRow& row) {
    const std::string value =
        std::isfinite(row.value) ? fmt::format("{:.4g}", row.value) : "unknown";
    const bool has_low = std::isfinite(row.low), has_high = std::isfinite(row.high);
    const std::string bounds = has_low && has_high
                                   ? fmt::format("{:.4g} to {:.4g}", row.low, row.high)
                               : has_low  ? fmt::format("at least {:.4g}", row.low)
                               : has_high ? fmt::format("at most {:.4g}", row.high)
                                          : "no bound yet";
    const std::string more =
        row.further > 0.0 ? fmt::format(": needs {:.0f} more samples", row.further) : "";
    return fmt::format("{} {} {} ({}), limit {:.4g} {}{}", row.statistic, value, row.unit, bounds,
                       row.limit, row.unit, more);
}

}  // namespace shardstone::validation
