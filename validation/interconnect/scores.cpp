// SPDX-License-Identifier: BSD-3-Clause
// Medians of groups of tests, their noise, and Bayes factors of components.
#include "validation/interconnect/scores.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include "kernels/base/statistics.hpp"

namespace shardstone::validation {

namespace {

struct GroupMedian {
    double value = 0.0;
    double scatter = 0.0;  ///< variance of the tests about it
    int tests = 0;
};

/// By how much values spread more than their errors say: the squared robust deviation of their
/// ratios, moderated towards 1. At least 1, as few values may agree by chance.
double inflation(const std::vector<double>& ratios) {
    if (ratios.empty()) return 1.0;
    const double degrees = robust_efficiency * static_cast<double>(ratios.size());
    const double middle = median(ratios);
    auto deviations = ratios;
    for (double& deviation : deviations) deviation -= middle;
    const double found = std::pow(robust_deviation(std::move(deviations)), 2);
    return std::max(1.0, (prior_degrees + degrees * found) / (prior_degrees + degrees));
}

/// What healthy tests say of the errors of all.
struct Scales {
    double noise = 0.0;
    double degrees_of_noise = 0.0;
    std::array<double, group_kind_count> of_groups{};
    std::array<double, culprit_count> of_culprits{};
    std::array<double, culprit_count> degrees_of_culprits{};
};

/// From the scatter of the tests, moderated towards what their repetitions say.
void estimate_noise(const Slowdowns& slowdowns, const std::vector<bool>& healthy, Scales& scales) {
    std::vector<double> values;
    for (std::size_t i = 0; i < healthy.size(); ++i) {
        if (healthy[i]) values.push_back(slowdowns.of_tests[i].value);
    }
    const double degrees = robust_efficiency * static_cast<double>(values.size());
    const double scatter = std::pow(robust_deviation(std::move(values)), 2);
    const double expected = std::pow(slowdowns.repetition_error, 2);
    const double moderated =
        (prior_degrees * expected + degrees * scatter) / (prior_degrees + degrees);
    // Times from a coarse clock may all be equal.
    scales.noise = std::max({std::sqrt(moderated), slowdowns.repetition_error, 1e-9});
    scales.degrees_of_noise = prior_degrees + degrees;
}

std::vector<GroupMedian> medians_of(const Candidates& candidates, const Slowdowns& slowdowns,
                                    const std::vector<bool>& counts) {
    std::vector<GroupMedian> medians(candidates.groups.size());
    std::vector<double> values;
    for (std::size_t g = 0; g < medians.size(); ++g) {
        values.clear();
        for (const int test : candidates.groups[g].tests) {
            const auto i = static_cast<std::size_t>(test);
            if (counts[i]) values.push_back(slowdowns.of_tests[i].value);
        }
        if (values.empty()) continue;
        const double middle = median(values);
        for (double& value : values) value -= middle;
        const auto count = static_cast<int>(values.size());
        medians[g] = {middle, std::pow(robust_deviation(values), 2), count};
    }
    return medians;
}

/// Of the median of a group. Tests that scatter more than others do not have one slowdown in
/// common: half of them may cross what is bad.
double variance_of(const GroupMedian& group, double noise) {
    const double degrees = robust_efficiency * group.tests;
    const double moderated =
        (prior_degrees * noise * noise + degrees * group.scatter) / (prior_degrees + degrees);
    const double efficiency = group.tests > 2 ? std::numbers::pi / 2.0 : 1.0;
    return std::max(noise * noise, moderated) * efficiency / group.tests;
}

/// The slowdown by which all groups of a component are least off, and its error.
Score combined(const Candidate& candidate, const Candidates& candidates,
               const std::vector<GroupMedian>& medians, const Scales& scales) {
    Score score{.component = candidate.component};
    double weights = 0.0, sum = 0.0;
    for (const int group : candidate.groups) {
        const auto& found = medians[static_cast<std::size_t>(group)];
        if (found.tests == 0) continue;
        const auto kind = candidates.groups[static_cast<std::size_t>(group)].kind;
        const double weight = 1.0 / (variance_of(found, scales.noise) *
                                     scales.of_groups[static_cast<std::size_t>(kind)]);
        weights += weight;
        sum += found.value * weight;
        score.tests += found.tests;
    }
    if (weights == 0.0) return score;
    score.log_slowdown = sum / weights;
    score.error = 1.0 / std::sqrt(weights);
    return score;
}

Scales scales_from(const Candidates& candidates, const Slowdowns& slowdowns,
                   const std::vector<bool>& healthy, const std::vector<GroupMedian>& medians) {
    Scales scales;
    estimate_noise(slowdowns, healthy, scales);
    std::array<std::vector<double>, group_kind_count> of_groups;
    for (std::size_t g = 0; g < medians.size(); ++g) {
        if (medians[g].tests == 0) continue;
        of_groups[static_cast<std::size_t>(candidates.groups[g].kind)].push_back(
            medians[g].value / std::sqrt(variance_of(medians[g], scales.noise)));
    }
    std::ranges::transform(of_groups, scales.of_groups.begin(), inflation);
    std::array<std::vector<double>, culprit_count> of_culprits;
    for (const auto& candidate : candidates.of_parts) {
        const auto score = combined(candidate, candidates, medians, scales);
        if (score.tests == 0) continue;
        of_culprits[static_cast<std::size_t>(score.component.culprit)].push_back(
            score.log_slowdown / score.error);
    }
    for (std::size_t kind = 0; kind < of_culprits.size(); ++kind) {
        scales.of_culprits[kind] = inflation(of_culprits[kind]);
        const double of_population =
            prior_degrees + robust_efficiency * static_cast<double>(of_culprits[kind].size());
        scales.degrees_of_culprits[kind] = std::min(of_population, scales.degrees_of_noise);
    }
    return scales;
}

constexpr double unlimited = std::numeric_limits<double>::infinity();

void add_odds(Score& score, double log_prior, const Scales& scales,
              const SuspicionSettings& settings) {
    score.log_odds = score.log_support = -unlimited;
    if (score.tests == 0 || score.log_slowdown < std::log1p(settings.least_slowdown)) return;
    const double usual = settings.usual_log_slowdown;
    score.log_support =
        log_prior + log_bayes_factor(score.log_slowdown, score.error, unlimited, usual);
    const auto kind = static_cast<std::size_t>(score.component.culprit);
    score.error *= std::sqrt(scales.of_culprits[kind]);
    score.degrees = scales.degrees_of_culprits[kind];
    score.log_odds =
        log_prior + log_bayes_factor(score.log_slowdown, score.error, score.degrees, usual);
}

/// Single tests have heavy tails, as a delay may cover all of their repetitions; t with 4 degrees.
constexpr double degrees_of_single_tests = 4.0;

/// Of the tests of one pair. If the median of n entries is as high as this, at least half of them
/// are, and these are independent of each other.
Score score_of_pair(double log_prior, std::span<const Slowdown> tests, double noise,
                    const SuspicionSettings& settings) {
    const auto least = std::ranges::min(tests, {}, &Slowdown::value);
    Score score{.component = {.culprit = Culprit::pair,
                              .sender = least.test.sender,
                              .receiver = least.test.receiver},
                .log_slowdown = least.value,
                .error = noise,
                .degrees = degrees_of_single_tests,
                .log_odds = -unlimited,
                .tests = static_cast<int>(tests.size())};
    if (least.value < std::log1p(settings.least_slowdown)) return score;
    int entries = 0;
    for (const auto& test : tests) entries += (test.entries + 1) / 2;
    score.log_odds = score.log_support =
        log_prior + entries * log_bayes_factor(least.value, noise, degrees_of_single_tests,
                                               settings.usual_log_slowdown);
    return score;
}

std::vector<Score> scores_of_pairs(const Candidates& candidates, const Slowdowns& slowdowns,
                                   const std::vector<bool>& counts, double noise,
                                   const SuspicionSettings& settings) {
    std::vector<Score> scores;
    const auto& all = slowdowns.of_tests;
    const double noise_of_entry = std::max(noise, slowdowns.entry_noise);
    std::vector<Slowdown> of_pair;
    for (std::size_t begin = 0; begin < all.size();) {
        of_pair.clear();
        std::size_t end = begin;
        for (; end < all.size() && all[end].test.sender == all[begin].test.sender &&
               all[end].test.receiver == all[begin].test.receiver;
             ++end) {
            if (counts[end] && all[end].path != Path::loopback) of_pair.push_back(all[end]);
        }
        begin = end;
        if (of_pair.empty()) continue;
        const auto score =
            score_of_pair(candidates.log_prior_of_pair, of_pair, noise_of_entry, settings);
        if (score.log_odds > std::log(settings.least_odds_of_lead)) scores.push_back(score);
    }
    return scores;
}

}  // namespace

double log_bayes_factor(double estimate, double error, double degrees, double usual) {
    if (!(estimate > 0.0)) return -unlimited;
    const double ratio = 1.0 + usual * usual / (error * error);
    const double squared = estimate * estimate / (error * error);
    const double gain =
        std::isinf(degrees)
            ? 0.5 * squared * (1.0 - 1.0 / ratio)
            : 0.5 * (degrees + 1.0) *
                  (std::log1p(squared / degrees) - std::log1p(squared / ratio / degrees));
    return std::numbers::ln2 - 0.5 * std::log(ratio) + gain;
}

Scores scores_of(const Candidates& candidates, const Slowdowns& slowdowns,
                 const std::vector<bool>& counts, const std::vector<bool>& healthy,
                 const SuspicionSettings& settings) {
    Scores scores;
    const auto medians = medians_of(candidates, slowdowns, counts);
    const auto scales = counts == healthy ? scales_from(candidates, slowdowns, healthy, medians)
                                          : scales_from(candidates, slowdowns, healthy,
                                                        medians_of(candidates, slowdowns, healthy));
    scores.noise = scales.noise;
    for (const auto& candidate : candidates.of_parts) {
        scores.of_parts.push_back(combined(candidate, candidates, medians, scales));
        add_odds(scores.of_parts.back(), candidate.log_prior, scales, settings);
    }
    scores.of_pairs = scores_of_pairs(candidates, slowdowns, counts, scores.noise, settings);
    return scores;
}

}  // namespace shardstone::validation
