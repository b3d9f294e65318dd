// SPDX-License-Identifier: BSD-3-Clause
// A limit becomes one for each of its subjects; the worst of them is its verdict.
#include "validation/interconnect/limits_in_force.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <utility>

#include "benchmarks/interconnect/link_end.hpp"
#include "validation/interconnect/acceptance_file.hpp"
#include "validation/interconnect/limited_subjects.hpp"
#include "validation/interconnect/looks.hpp"
#include "validation/interconnect/pair_figures.hpp"
#include "validation/interconnect/traffic.hpp"

namespace shardstone::validation {

namespace {

constexpr const char* traffic_quantity = "traffic over prediction";
constexpr const char* wake_up_quantity = "wake-up delay";

results::AcceptanceRow row_of(const AcceptanceFinding& finding, const std::string& subject,
                              std::int64_t most) {
    results::AcceptanceRow row;
    row.quantity = finding.limit.quantity;
    row.statistic = finding.limit.statistic;
    if (finding.limit.size_bytes > 0) {
        row.size_bytes = static_cast<double>(finding.limit.size_bytes);
    }
    row.limit = finding.limit.limit;
    row.unit = finding.limit.unit;
    row.subject = subject;
    row.value = finding.value;
    row.low = finding.interval.low;
    row.high = finding.interval.high;
    row.confidence = finding.confidence;
    row.samples = static_cast<double>(finding.samples);
    row.further = static_cast<double>(finding.further);
    row.most = static_cast<double>(most);
    row.verdict = to_string(finding.acceptance);
    row.source = finding.limit.source;
    return row;
}

/// What is surely between bounds needs no statistic, and more samples would not tell more.
void judge_by_bounds(const Bounded& bounded, AcceptanceFinding& finding) {
    finding.limit.statistic = "surest reading";
    finding.value = bounded.value;
    finding.interval = bounded.interval;
    finding.confidence = 1.0;
    finding.further = 0;
    finding.acceptance = compare(bounded.interval, finding.limit);
}

/// A broken limit remains broken if even the quickest sample breaks it without what others took.
void doubt_if_disturbed(std::span<const double> samples, const Disturbance& seen,
                        AcceptanceFinding& finding) {
    if (finding.acceptance != Acceptance::fail || !needs_cores(finding.limit.quantity)) return;
    if (finding.limit.quantity == wake_up_quantity) {
        if (seen.may_break_limit_of_short()) finding.acceptance = Acceptance::inconclusive;
        return;
    }
    const double limit = finding.limit.limit;
    const double quickest_over_limit = finding.limit.at_least ? limit / std::ranges::max(samples)
                                                              : std::ranges::min(samples) / limit;
    if (seen.may_break_limit(quickest_over_limit)) finding.acceptance = Acceptance::inconclusive;
}

/// A prediction that may be too short breaks a limit only beyond its own error.
void doubt_prediction(double error, AcceptanceFinding& finding) {
    const bool is_broken = finding.acceptance == Acceptance::fail;
    if (is_broken && finding.interval.low <= finding.limit.limit * error) {
        finding.acceptance = Acceptance::inconclusive;
    }
}

/// Whether `one` is worse than `other`, of the same limit; where too few samples tell a statistic,
/// by the bound that it has on its bad side.
bool is_worse(const AcceptanceFinding& one, const AcceptanceFinding& other) {
    constexpr auto gravity = [](Acceptance acceptance) {
        return acceptance == Acceptance::fail ? 2 : acceptance == Acceptance::inconclusive ? 1 : 0;
    };
    if (one.acceptance != other.acceptance) {
        return gravity(one.acceptance) > gravity(other.acceptance);
    }
    const auto is_known = [](const AcceptanceFinding& finding) {
        return std::isfinite(finding.value);
    };
    if (one.limit.at_least) {
        return is_known(one) && is_known(other) ? one.value < other.value
                                                : one.interval.high < other.interval.high;
    }
    return is_known(one) && is_known(other) ? one.value > other.value
                                            : one.interval.low > other.interval.low;
}

/// A sample of the latency of a short message is not one message, nor is one of a rank one piece of
/// its work.
std::string of_what(const results::AcceptanceRow& row) {
    if (row.quantity == wake_up_quantity || find_quantity(row.quantity).is_of_gpu) {
        return " of the means of turns";
    }
    const bool is_latency = row.quantity.starts_with("latency") && row.size_bytes > 0.0;
    const int messages =
        is_latency ? benchmarks::messages_of(static_cast<std::int64_t>(row.size_bytes)) : 1;
    return messages > 1 ? fmt::format(" of the shortest of {}", messages) : "";
}

/// Subjects of all limits, by their places in these.
struct SubjectsInForce {
    std::vector<AcceptanceLimit> limits;
    std::vector<std::size_t> numbers;  ///< of the limit, in the file
    std::vector<std::string> names;
    std::vector<std::vector<double>> samples;
    std::vector<std::optional<Bounded>> bounds;
    std::vector<std::int64_t> most;  ///< samples that a run takes
};

SubjectsInForce subjects_in_force(const InterconnectSamples& samples, std::span<const Place> places,
                                  std::span<const PairTime> times) {
    SubjectsInForce all;
    for (std::size_t number = 0; number < samples.limits.size(); ++number) {
        auto subjects = subjects_of(samples.limits[number], samples, places, times);
        if (subjects.empty()) subjects.push_back({nothing_measured, {}});
        for (LimitedSubject& subject : subjects) {
            all.limits.push_back(samples.limits[number]);
            all.limits.back().first_look = first_look_at(samples.limits[number].quantity);
            all.numbers.push_back(number);
            all.names.push_back(std::move(subject.name));
            all.samples.push_back(std::move(subject.samples));
            all.bounds.push_back(subject.bounded);
            all.most.push_back(subject.most);
        }
    }
    return all;
}

/// Of one limit, by its number.
void count_subjects(std::span<const AcceptanceFinding> findings,
                    std::span<const std::size_t> numbers, std::size_t number,
                    results::AcceptanceRow& row) {
    row.subjects = row.subjects_passed = row.subjects_failed = 0.0;
    for (std::size_t i = 0; i < findings.size(); ++i) {
        if (numbers[i] != number) continue;
        row.subjects += 1.0;
        row.subjects_passed += findings[i].acceptance == Acceptance::pass ? 1.0 : 0.0;
        row.subjects_failed += findings[i].acceptance == Acceptance::fail ? 1.0 : 0.0;
    }
}

/// The finding on each of the subjects.
std::vector<AcceptanceFinding> judge(const SubjectsInForce& all, const InterconnectSamples& samples,
                                     const Disturbances& disturbances) {
    auto findings = judge_limits(all.limits, all.samples);
    const auto traffic = traffic_rows(samples.traffic);
    const double prediction_error = traffic.empty() ? 1.0 : traffic.front().prediction_error;
    for (std::size_t i = 0; i < findings.size(); ++i) {
        if (all.bounds[i]) judge_by_bounds(*all.bounds[i], findings[i]);
        const std::string& quantity = all.limits[i].quantity;
        if (quantity == traffic_quantity) doubt_prediction(prediction_error, findings[i]);
        doubt_if_disturbed(all.samples[i], disturbances.during(part_of_limit(quantity)),
                           findings[i]);
    }
    return findings;
}

/// Whether more samples may decide what these do not.
bool calls_for_more(const AcceptanceFinding& finding, std::int64_t first, std::int64_t most) {
    if (finding.samples == 0) return false;
    if (finding.samples < first) return true;  // what it says so far is no verdict yet
    return finding.further > 0 && finding.samples + finding.further <= most;
}

}  // namespace

std::vector<results::AcceptanceRow> judge_limits_in_force(const InterconnectSamples& samples,
                                                          std::span<const Place> places,
                                                          std::span<const PairTime> times,
                                                          const Disturbances& disturbances) {
    const SubjectsInForce all = subjects_in_force(samples, places, times);
    const auto findings = judge(all, samples, disturbances);
    std::vector<results::AcceptanceRow> rows;
    for (std::size_t number = 0; number < samples.limits.size(); ++number) {
        std::size_t worst = findings.size();
        for (std::size_t i = 0; i < findings.size(); ++i) {
            if (all.numbers[i] != number) continue;
            if (worst == findings.size() || is_worse(findings[i], findings[worst])) worst = i;
        }
        rows.push_back(row_of(findings[worst], all.names[worst], all.most[worst]));
        count_subjects(findings, all.numbers, number, rows.back());
        const std::string& quantity = rows.back().quantity;
        const bool is_disturbed = disturbances.during(part_of_limit(quantity)).is_any();
        rows.back().disturbed = is_disturbed && needs_cores(quantity) ? 1.0 : 0.0;
    }
    return rows;
}

std::int64_t samples_to_next_look(const InterconnectSamples& samples, const std::string& part) {
    const auto places = places_of(samples.places);
    const auto times = pair_times_of(samples.pairs);
    const SubjectsInForce all = subjects_in_force(samples, places, times);
    const auto findings = judge(all, samples, Disturbances(samples));
    std::set<std::size_t> broken;
    for (std::size_t i = 0; i < findings.size(); ++i) {
        if (findings[i].acceptance == Acceptance::fail) broken.insert(all.numbers[i]);
    }
    SamplesToDecide to_decide(confidence_of_each(std::max<std::size_t>(1, findings.size())));
    std::int64_t next = 0;
    for (std::size_t i = 0; i < findings.size(); ++i) {
        const AcceptanceLimit& limit = all.limits[i];
        if (limit.first_look == 0 || part_of_limit(limit.quantity) != part) continue;
        const auto count = findings[i].samples;
        const auto first = to_decide.samples_of_first_look(share_limited_by(limit), limit.at_least,
                                                           limit.first_look);
        if (count >= first && broken.contains(all.numbers[i])) continue;
        if (!calls_for_more(findings[i], first, all.most[i])) continue;
        const auto further = next_look_after(count, first) - count;
        next = next == 0 ? further : std::min(next, further);
    }
    return next;
}

std::vector<std::string> limits_never_kept(std::span<const AcceptanceLimit> limits) {
    std::vector<std::string> words;
    SamplesToDecide to_decide(confidence_of_each(std::max<std::size_t>(limits.size(), 1)));
    for (const AcceptanceLimit& limit : limits) {
        if (is_bounded(limit.quantity)) continue;
        const auto fewest = to_decide.fewest_to_keep(share_limited_by(limit), limit.at_least,
                                                     first_look_at(limit.quantity));
        const auto most = most_samples_of(limit);
        if (fewest <= most) continue;
        words.push_back(fmt::format(
            "the limit on the {} of '{}' may be broken, but cannot be kept: that takes at least {} "
            "samples of each pair or rank, and a run takes at most {}: limit the median or the "
            "mean",
            limit.statistic, limit.quantity, fewest, most));
    }
    return words;
}

std::string against_limit(const results::AcceptanceRow& row) {
    const bool has_low = std::isfinite(row.low), has_high = std::isfinite(row.high);
    const std::string bounds = has_low && has_high
                                   ? fmt::format("{:.4g} to {:.4g}", row.low, row.high)
                               : has_low  ? fmt::format("at least {:.4g}", row.low)
                               : has_high ? fmt::format("at most {:.4g}", row.high)
                                          : "";
    // Bounds on a percentile take fewer samples than an estimate of it.
    const std::string found = std::isfinite(row.value)
                                  ? fmt::format("{:.4g} {} ({})", row.value, row.unit,
                                                bounds.empty() ? "no bound yet" : bounds)
                              : bounds.empty() ? "without a bound yet"
                                               : fmt::format("{} {}", bounds, row.unit);
    const std::string needed = needed_in_words(row.samples, row.further, row.most);
    const std::string more = needed.empty() ? "" : ": " + needed;
    return fmt::format("{}{} {}, limit {:.4g} {}{}", row.statistic, of_what(row), found, row.limit,
                       row.unit, more);
}

}  // namespace shardstone::validation
