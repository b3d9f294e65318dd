// SPDX-License-Identifier: BSD-3-Clause
// Odds that a rank is slow, from the lower quartiles of the turns of all ranks.
#include "validation/interconnect/slow_ranks.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/base/error.hpp"
#include "kernels/base/statistics.hpp"

namespace shardstone::validation {

namespace {

/// Of a normal distribution: standard deviation over median absolute deviation.
constexpr double deviation_per_mad = 1.4826;
/// Standard deviation over the distance of the quartiles.
constexpr double deviation_per_quartiles = 1.0 / 1.349;

double scatter_of_ranks(std::span<const double> logarithms) {
    const double middle = median(logarithms);
    std::vector<double> distances;
    for (const double one : logarithms) distances.push_back(std::abs(one - middle));
    return deviation_per_mad * median(distances);
}

/// Standard deviation of all logarithms but one about their median; of two others at least.
double scatter_without(std::span<const double> logarithms, std::size_t left_out) {
    std::vector<double> others(logarithms.begin(), logarithms.end());
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(left_out));
    if (others.size() < 2) return std::numeric_limits<double>::infinity();
    const double middle = median(others);
    double squares = 0.0;
    for (const double one : others) squares += (one - middle) * (one - middle);
    return std::sqrt(squares / (static_cast<double>(others.size()) - 1.0));
}

double scatter_of_turns(std::span<const std::vector<double>> times_s) {
    std::vector<double> errors;
    for (const auto& turns : times_s) {
        const Quartiles parts = quartiles(turns);
        errors.push_back(deviation_per_quartiles * std::log(parts.high / parts.low) /
                         std::sqrt(static_cast<double>(turns.size())));
    }
    return median(errors);
}

/// log10 of the ratio of the densities of `distance` with a fault and without.
double log10_factor(double distance, double noise, double fault, double freedom) {
    const double own = noise * noise;
    const double all = own + fault * fault;
    const double square = distance * distance;
    const double exponent = 0.5 * (freedom + 1.0);
    return 0.5 * std::log10(own / all) + exponent * (std::log10(1.0 + square / (freedom * own)) -
                                                     std::log10(1.0 + square / (freedom * all)));
}

}  // namespace

std::vector<RankJudgement> judge_ranks(std::span<const std::vector<double>> times_s,
                                       const SlowRankSettings& settings) {
    std::vector<double> logarithms;
    for (const auto& turns : times_s) {
        SHARDSTONE_EXPECTS(!turns.empty());
        logarithms.push_back(std::log(quartiles(turns).low));
    }
    const double middle = median(logarithms);
    // Equal times to the last digit are no proof that the next will be.
    constexpr double least_noise = 1e-3;
    const double of_ranks = scatter_of_ranks(logarithms);
    const double of_turns = std::max(least_noise, scatter_of_turns(times_s));
    const auto ranks = static_cast<double>(times_s.size());
    std::vector<RankJudgement> judgements;
    for (std::size_t rank = 0; rank < times_s.size(); ++rank) {
        const double logarithm = logarithms[rank];
        const double noise =
            std::max(of_turns, std::min(of_ranks, scatter_without(logarithms, rank)));
        RankJudgement one{std::exp(logarithm), std::exp(logarithm - middle), noise, 0.0, false};
        const double distance = std::max(0.0, logarithm - middle);
        one.log10_odds =
            log10_factor(distance, noise, settings.usual_log_slowdown, std::max(1.0, ranks - 1.0)) -
            std::log10(ranks);
        one.suspected = times_s.size() >= least_comparable_ranks &&
                        one.factor > 1.0 + settings.least_slowdown &&
                        one.log10_odds > -std::log10(settings.false_alarms);
        judgements.push_back(one);
    }
    return judgements;
}

}  // namespace shardstone::validation
