// SPDX-License-Identifier: BSD-3-Clause
// Reduces the entries of each test to one value, and takes off what is usual for its path.
#include "validation/interconnect/slowdowns.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <numeric>
#include <tuple>

#include "kernels/base/statistics.hpp"

namespace shardstone::validation {

namespace {

/// Deviations of single values about their own median, and what they say of one value and of the
/// median of all.
struct Repetitions {
    std::vector<double> of_one = {};
    std::vector<double> of_median = {};

    void add(std::span<const double> log_times, double middle) {
        const auto count = static_cast<double>(log_times.size());
        if (count < 2) return;
        // A deviation from the middle of n is smaller than one from the truth by sqrt((n - 1) / n).
        const double spread = std::sqrt(count / (count - 1.0));
        const double error = std::sqrt((count > 2 ? std::numbers::pi / 2.0 : 1.0) / count);
        for (const double log_time : log_times) {
            const double deviation = spread * (log_time - middle);
            of_one.push_back(deviation);
            of_median.push_back(error * deviation);
        }
    }
};

auto identity_of(const PairTest& test) {
    return std::tuple(test.sender, test.receiver, test.alone, test.loopback);
}

std::vector<std::size_t> in_order_of_tests(std::span<const PairTime> times) {
    std::vector<std::size_t> order(times.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, {}, [&](std::size_t i) { return identity_of(times[i].test); });
    return order;
}

std::vector<double> logarithms(std::span<const double> values) {
    std::vector<double> result(values.size());
    std::ranges::transform(values, result.begin(), [](double value) { return std::log(value); });
    return result;
}

/// One of the sets within which tests are compared.
std::size_t comparison_of(const Slowdown& slowdown) {
    return 2 * static_cast<std::size_t>(slowdown.path) + (slowdown.test.alone ? 1 : 0);
}
constexpr std::size_t comparisons = 2 * path_count;

std::int64_t drop_incomparable(std::vector<Slowdown>& tests) {
    std::array<std::size_t, comparisons> counts{};
    for (const auto& test : tests) ++counts[comparison_of(test)];
    return static_cast<std::int64_t>(std::erase_if(tests, [&](const Slowdown& test) {
        return counts[comparison_of(test)] < least_comparable;
    }));
}

}  // namespace

double robust_deviation(std::vector<double> deviations) {
    if (deviations.empty()) return 0.0;
    for (double& deviation : deviations) deviation = std::abs(deviation);
    // Half of a normal distribution lies within 0.6745 standard deviations.
    return median(deviations) / 0.674489750196082;
}

Slowdowns slowdowns_of(std::span<const Place> places, std::span<const PairTime> times) {
    Slowdowns result;
    Repetitions of_entries, within_entries;
    std::size_t repeated = 0;
    const auto order = in_order_of_tests(times);
    for (std::size_t begin = 0; begin < order.size();) {
        const auto& test = times[order[begin]].test;
        std::vector<double> entries;
        std::size_t end = begin;
        for (; end < order.size() && times[order[end]].test == test; ++end) {
            const auto log_times = logarithms(times[order[end]].times_s);
            entries.push_back(median(log_times));
            within_entries.add(log_times, entries.back());
        }
        const double middle = median(entries);
        of_entries.add(entries, middle);
        if (entries.size() > 1) ++repeated;
        result.of_tests.push_back({.test = test,
                                   .path = path_of(places, test),
                                   .log_time = middle,
                                   .entries = static_cast<int>(entries.size())});
        begin = end;
    }
    const bool by_entries = 2 * repeated > result.of_tests.size();
    const auto& repetitions = by_entries ? of_entries : within_entries;
    result.repetition_error = robust_deviation(repetitions.of_median);
    result.entry_noise =
        by_entries ? robust_deviation(repetitions.of_one) : result.repetition_error;
    result.incomparable = drop_incomparable(result.of_tests);
    compare_with_healthy(result, std::vector<bool>(result.of_tests.size(), true));
    return result;
}

void compare_with_healthy(Slowdowns& slowdowns, const std::vector<bool>& healthy) {
    std::array<std::vector<double>, comparisons> all, of_healthy;
    for (std::size_t i = 0; i < slowdowns.of_tests.size(); ++i) {
        const auto& test = slowdowns.of_tests[i];
        all[comparison_of(test)].push_back(test.log_time);
        if (healthy[i]) of_healthy[comparison_of(test)].push_back(test.log_time);
    }
    std::array<double, comparisons> usual{};
    for (std::size_t i = 0; i < comparisons; ++i) {
        const auto& chosen = of_healthy[i].size() < least_comparable ? all[i] : of_healthy[i];
        if (!chosen.empty()) usual[i] = median(chosen);
    }
    for (auto& test : slowdowns.of_tests) test.value = test.log_time - usual[comparison_of(test)];
}

}  // namespace shardstone::validation
