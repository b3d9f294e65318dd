// SPDX-License-Identifier: BSD-3-Clause
// Scatter of measured times, as a simulated cluster has it.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "kernels/base/error.hpp"
#include "kernels/base/statistics.hpp"
#include "validation/interconnect/trial_grid.hpp"

namespace shardstone::validation {

namespace {

/// Of a normal distribution, standard deviation over median deviation from the median.
constexpr double deviation_of_median_deviation = 1.4826;
/// What is further out than so many deviations was delayed.
constexpr double delayed_beyond = 4.0;

double node_of(double rank, std::span<const results::RankPlaceRow> places) {
    const auto place = std::ranges::find(places, rank, &results::RankPlaceRow::rank);
    return place == places.end() ? -1.0 : place->node;
}

/// Logarithms of times by pair, of the largest messages between nodes, pairs at once.
std::map<std::pair<double, double>, std::vector<double>> log_times(
    std::span<const results::PairSampleRow> samples,
    std::span<const results::RankPlaceRow> places) {
    double largest_bytes = 0.0;
    for (const auto& row : samples) largest_bytes = std::max(largest_bytes, row.size_bytes);
    std::map<std::pair<double, double>, std::vector<double>> of_pairs;
    for (const auto& row : samples) {
        const bool between = node_of(row.sender, places) != node_of(row.receiver, places);
        if (row.size_bytes != largest_bytes || row.alone > 0.0 || !between) continue;
        of_pairs[{row.sender, row.receiver}].push_back(std::log(row.time_s));
    }
    return of_pairs;
}

/// Robust: a bad link among the pairs is no noise.
double deviation_about_median(std::vector<double> values) {
    const double middle = median(values);
    for (double& value : values) value = std::abs(value - middle);
    return deviation_of_median_deviation * median(values);
}

}  // namespace

int passes_in(std::span<const results::PairSampleRow> samples) {
    std::set<double> passes;
    for (const auto& row : samples) {
        if (row.alone == 0.0) passes.insert(row.pass);
    }
    return static_cast<int>(passes.size());
}

SimulatedNoise measured_noise(std::span<const results::PairSampleRow> samples,
                              std::span<const results::RankPlaceRow> places) {
    constexpr std::size_t least_pairs = 3, least_samples = 6;
    std::vector<double> medians, residuals;
    for (const auto& [pair, logs] : log_times(samples, places)) {
        if (logs.size() < least_samples) continue;
        medians.push_back(median(logs));
        for (const double one : logs) residuals.push_back(one - medians.back());
    }
    require(medians.size() >= least_pairs, [&] {
        return fmt::format(
            "its pairs between nodes say nothing of noise: it has {} with {} passes at once, and "
            "needs {}",
            medians.size(), least_samples, least_pairs);
    });
    SimulatedNoise noise;
    noise.repetition_deviation = deviation_about_median(residuals);
    noise.pair_deviation = deviation_about_median(medians);
    noise.nic_deviation = 0.0;  // within what pairs scatter by
    std::vector<double> delays;
    for (const double residual : residuals) {
        if (residual > delayed_beyond * noise.repetition_deviation) {
            delays.push_back(std::expm1(residual));
        }
    }
    noise.delay_share = static_cast<double>(delays.size()) / static_cast<double>(residuals.size());
    noise.mean_delay = delays.empty() ? 0.0 : mean(delays);
    return noise;
}

}  // namespace shardstone::validation
