// SPDX-License-Identifier: BSD-3-Clause
// Confidence intervals of medians, means and percentiles against limits.
#include "validation/interconnect/acceptance.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <limits>

#include "kernels/base/error.hpp"

namespace shardstone::validation {

namespace {

constexpr double unbounded = std::numeric_limits<double>::infinity();
constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

struct Estimate {
    double value = unknown;
    Interval interval = {-unbounded, unbounded};
};

Estimate estimate_of(std::span<const double> samples, StatisticShare share, double confidence) {
    Estimate result;
    if (!share) {
        if (samples.size() < 2) return result;
        auto found = mean_estimate(samples, confidence);
        // Where no sample can be below 0, no mean is: cut there, the interval holds the true mean
        // exactly as often as before.
        const bool is_amount = std::ranges::min(samples) >= 0.0;
        if (is_amount) found.interval.low = std::max(0.0, found.interval.low);
        return {found.mean, found.interval};
    }
    if (*share == 0.5 && !samples.empty()) {
        result.value = median(samples);
    } else if (const auto found = quantile(samples, *share)) {
        result.value = *found;
    }
    result.interval = quantile_interval(samples, *share, confidence);
    return result;
}

AcceptanceFinding judge_one(const AcceptanceLimit& limit, std::span<const double> samples,
                            SamplesToDecide& to_decide) {
    require(std::isfinite(limit.limit), [&] {
        return fmt::format("the limit {} of {} is no number", limit.limit, limit.quantity);
    });
    const auto share = share_limited_by(limit);
    const double confidence =
        to_decide.confidence_by(std::ssize(samples), share, limit.at_least, limit.first_look);
    const auto estimate = estimate_of(samples, share, confidence);
    AcceptanceFinding finding{.limit = limit,
                              .acceptance = compare(estimate.interval, limit),
                              .value = estimate.value,
                              .interval = estimate.interval,
                              .confidence = confidence,
                              .samples = static_cast<std::int64_t>(samples.size())};
    if (finding.acceptance == Acceptance::inconclusive) {
        finding.further =
            to_decide.further(samples, share, limit.limit, limit.at_least, limit.first_look);
    }
    return finding;
}

}  // namespace

Acceptance compare(const Interval& interval, const AcceptanceLimit& limit) {
    const bool above = interval.low >= limit.limit, below = interval.high <= limit.limit;
    if (limit.at_least ? above : below) return Acceptance::pass;
    if (limit.at_least ? interval.high < limit.limit : interval.low > limit.limit) {
        return Acceptance::fail;
    }
    return Acceptance::inconclusive;
}

StatisticShare share_limited_by(const AcceptanceLimit& limit) {
    const std::string& statistic = limit.statistic;
    if (statistic == "mean") return std::nullopt;
    if (statistic == "median") return 0.5;
    double percent = 0.0;
    const char *begin = statistic.data() + 1, *end = statistic.data() + statistic.size();
    const bool percentile = statistic.starts_with('p');
    const bool read =
        percentile && std::from_chars(begin, end, percent) == std::from_chars_result{end, {}};
    require(read && percent > 0.0 && percent < 100.0, [&] {
        return fmt::format("unknown statistic '{}': use median, mean or a percentile as p99",
                           statistic);
    });
    return (limit.at_least ? 100.0 - percent : percent) / 100.0;
}

std::string to_string(Acceptance acceptance) {
    switch (acceptance) {
        case Acceptance::pass:
            return "pass";
        case Acceptance::fail:
            return "fail";
        case Acceptance::inconclusive:
            return "inconclusive";
    }
    fail("unknown acceptance");
}

double confidence_of_each(std::size_t limits, double error) {
    return 1.0 - error / static_cast<double>(limits);
}

std::vector<AcceptanceFinding> judge_limits(std::span<const AcceptanceLimit> limits,
                                            std::span<const std::vector<double>> samples_of_each,
                                            double error) {
    require(limits.size() == samples_of_each.size(), [&] {
        return fmt::format("{} limits, but samples of {}", limits.size(), samples_of_each.size());
    });
    require(error > 0.0 && error < 1.0, [&] {
        return fmt::format("a probability of error of {}: use one between 0 and 1", error);
    });
    std::vector<AcceptanceFinding> findings;
    SamplesToDecide to_decide(confidence_of_each(limits.size(), error));
    for (std::size_t i = 0; i < limits.size(); ++i) {
        findings.push_back(judge_one(limits[i], samples_of_each[i], to_decide));
    }
    return findings;
}

}  // namespace shardstone::validation
