// SPDX-License-Identifier: BSD-3-Clause
// A limit becomes one for each pair and direction, or each rank; the worst of them is its verdict.
#include "validation/interconnect/limits_in_force.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>

#include "validation/interconnect/acceptance_file.hpp"

namespace shardstone::validation {

namespace {

/// The samples of one pair or rank that a limit is for, in its unit.
struct LimitedSubject {
    std::size_t limit = 0;
    std::string name;
    std::vector<double> samples;
};

/// A further test of a pair, one at a time, that was tested with others, too: of few samples and
/// under other conditions.
bool is_further(const PairTime& time, std::span<const PairTime> times) {
    return time.test.alone && std::ranges::any_of(times, [&](const PairTime& other) {
               return !other.test.alone && other.test.sender == time.test.sender &&
                      other.test.receiver == time.test.receiver &&
                      other.size_bytes == time.size_bytes;
           });
}

void add_pairs(std::size_t number, const InterconnectSamples& samples,
               std::span<const Place> places, std::span<const PairTime> times,
               std::vector<LimitedSubject>& subjects) {
    const AcceptanceLimit& limit = samples.limits[number];
    const LimitedQuantity& quantity = find_quantity(limit.quantity);
    const bool inside = std::string_view(quantity.name).ends_with("inside nodes");
    for (const PairTime& time : times) {
        const bool is_inside = path_of(places, time.test) == Path::inside_node;
        if (time.size_bytes != limit.size_bytes || is_inside != inside) continue;
        if (is_further(time, times)) continue;
        LimitedSubject subject{
            number,
            fmt::format("{} to {}", name_of_rank(time.test.sender, samples.places),
                        name_of_rank(time.test.receiver, samples.places)),
            {}};
        for (const double time_s : time.times_s) {
            const double value =
                quantity.is_rate ? 1e-9 * static_cast<double>(time.size_bytes) / time_s : time_s;
            subject.samples.push_back(in_unit(value, quantity, limit.unit));
        }
        subjects.push_back(std::move(subject));
    }
}

void add_ranks(std::size_t number, const InterconnectSamples& samples,
               std::vector<LimitedSubject>& subjects) {
    const AcceptanceLimit& limit = samples.limits[number];
    std::map<double, std::vector<double>> delays;
    for (const auto& row : samples.ranks) {
        if (row.test != "wake-up") continue;
        delays[row.rank].push_back(in_unit(row.time_s, find_quantity(limit.quantity), limit.unit));
    }
    for (auto& [rank, values] : delays) {
        subjects.push_back({number, name_of_rank(rank, samples.places), std::move(values)});
    }
}

std::vector<LimitedSubject> subjects_of(const InterconnectSamples& samples,
                                        std::span<const Place> places,
                                        std::span<const PairTime> times) {
    std::vector<LimitedSubject> subjects;
    for (std::size_t number = 0; number < samples.limits.size(); ++number) {
        const std::size_t before = subjects.size();
        if (find_quantity(samples.limits[number].quantity).has_size) {
            add_pairs(number, samples, places, times, subjects);
        } else {
            add_ranks(number, samples, subjects);
        }
        if (subjects.size() == before) subjects.push_back({number, "nothing measured", {}});
    }
    return subjects;
}

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
    const auto subjects = subjects_of(samples, places, times);
    std::vector<AcceptanceLimit> limits;
    std::vector<std::vector<double>> values;
    for (const LimitedSubject& subject : subjects) {
        limits.push_back(samples.limits[subject.limit]);
        values.push_back(subject.samples);
    }
    const auto findings = judge_limits(limits, values);
    std::vector<results::AcceptanceRow> rows;
    for (std::size_t number = 0; number < samples.limits.size(); ++number) {
        std::size_t worst = subjects.size();
        for (std::size_t i = 0; i < subjects.size(); ++i) {
            if (subjects[i].limit != number) continue;
            if (worst == subjects.size() || is_worse(findings[i], findings[worst])) worst = i;
        }
        rows.push_back(row_of(findings[worst], subjects[worst].name));
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
