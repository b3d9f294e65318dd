// SPDX-License-Identifier: BSD-3-Clause
// A line through two sizes for each pair, and medians over pairs.
#include "validation/interconnect/path_costs.hpp"

#include <algorithm>
#include <map>
#include <tuple>

namespace shardstone::validation {

namespace {

/// All times of one test at one size.
using TimesBySize = std::map<std::int64_t, std::vector<double>>;

struct Lines {
    std::vector<double> alphas_s = {};
    std::vector<double> betas_s_per_byte = {};

    void add(const TimesBySize& times) {
        const auto& [small_bytes, small_times] = *times.begin();
        const auto& [large_bytes, large_times] = *times.rbegin();
        const double small_s = median(small_times), large_s = median(large_times);
        const double beta = (large_s - small_s) / static_cast<double>(large_bytes - small_bytes);
        betas_s_per_byte.push_back(beta);
        alphas_s.push_back(small_s - beta * static_cast<double>(small_bytes));
    }
};

}  // namespace

std::vector<PathCost> path_costs(std::span<const Place> places, std::span<const PairTime> times) {
    using Test = std::tuple<Path, bool, int, int>;
    std::map<Test, TimesBySize> by_test;
    for (const auto& time : times) {
        const auto& test = time.test;
        auto& of_size = by_test[{path_of(places, test), test.alone, test.sender, test.receiver}]
                               [time.size_bytes];
        of_size.insert(of_size.end(), time.times_s.begin(), time.times_s.end());
    }
    std::map<std::pair<Path, bool>, Lines> by_path;
    for (const auto& [test, of_sizes] : by_test) {
        if (of_sizes.size() < 2) continue;
        by_path[{std::get<0>(test), std::get<1>(test)}].add(of_sizes);
    }
    std::vector<PathCost> costs;
    for (const auto& [key, lines] : by_path) {
        costs.push_back({.path = key.first,
                         .alone = key.second,
                         .tests = static_cast<int>(lines.alphas_s.size()),
                         .alpha_s = median(lines.alphas_s),
                         .beta_s_per_byte = median(lines.betas_s_per_byte),
                         .alpha_interval_s = median_interval(lines.alphas_s),
                         .beta_interval_s_per_byte = median_interval(lines.betas_s_per_byte)});
    }
    return costs;
}

}  // namespace shardstone::validation
