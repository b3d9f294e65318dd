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
    double variance = 0.0;
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

/// From the scatter of the tests, moderated towards what their repetitions say.
double noise_of(const Slowdowns& slowdowns, const std::vector<bool>& counts) {
    std::vector<double> values;
    for (std::size_t i = 0; i < counts.size(); ++i) {
        if (counts[i]) values.push_back(slowdowns.of_tests[i].value);
    }
    const double degrees = robust_efficiency * static_cast<double>(values.size());
    const double scatter = std::pow(robust_deviation(std::move(values)), 2);
    const double expected = std::pow(slowdowns.repetition_error, 2);
    const double moderated =
        (prior_degrees * expected + degrees * scatter) / (prior_degrees + degrees);
    // Times from a coarse clock may all be equal.
    return std::max({std::sqrt(moderated), slowdowns.repetition_error, 1e-9});
}

std::vector<GroupMedian> medians_of(const Candidates& candidates, const Slowdowns& slowdowns,
                                    const std::vector<bool>& counts, double noise) {
    std::vector<GroupMedian> medians(candidates.groups.size());
    std::array<std::vector<double>, group_kind_count> ratios;
    std::vector<double> values;
    for (std::size_t g = 0; g < medians.size(); ++g) {
        values.clear();
        for (const int test : candidates.groups[g].tests) {
            const auto i = static_cast<std::size_t>(test);
            if (counts[i]) values.push_back(slowdowns.of_tests[i].value);
        }
        if (values.empty()) continue;
        const auto count = static_cast<double>(values.size());
        const double efficiency = values.size() > 2 ? std::numbers::pi / 2.0 : 1.0;
        auto& group = medians[g];
        group = {median(values), noise * noise * efficiency / count,
                 static_cast<int>(values.size())};
        ratios[static_cast<std::size_t>(candidates.groups[g].kind)].push_back(
            group.value / std::sqrt(group.variance));
    }
    std::array<double, group_kind_count> inflations{};
    std::ranges::transform(ratios, inflations.begin(), inflation);
    for (std::size_t g = 0; g < medians.size(); ++g) {
        medians[g].variance *= inflations[static_cast<std::size_t>(candidates.groups[g].kind)];
    }
    return medians;
}

/// The slowdown by which all groups of a component are least off, and its error.
Score combined(const Candidate& candidate, const std::vector<GroupMedian>& medians) {
    Score score{.component = candidate.component};
    double weights = 0.0, sum = 0.0;
    for (const int group : candidate.groups) {
        const auto& found = medians[static_cast<std::size_t>(group)];
        if (found.tests == 0) continue;
        weights += 1.0 / found.variance;
        sum += found.value / found.variance;
        score.tests += found.tests;
    }
    if (weights == 0.0) return score;
    score.log_slowdown = sum / weights;
    score.error = std::sqrt(1.0 / weights);
    return score;
}

constexpr double unlimited = std::numeric_limits<double>::infinity();

/// Odds of the components of one culprit, whose errors are scaled to the scatter among them.
void add_odds(std::span<Score> of_culprit, std::span<const Candidate> candidates,
              const SuspicionSettings& settings) {
    std::vector<double> ratios;
    for (const auto& score : of_culprit) {
        if (score.tests > 0) ratios.push_back(score.log_slowdown / score.error);
    }
    const double scale = std::sqrt(inflation(ratios));
    const double degrees = prior_degrees + robust_efficiency * static_cast<double>(ratios.size());
    for (std::size_t i = 0; i < of_culprit.size(); ++i) {
        auto& score = of_culprit[i];
        score.log_odds = score.log_support = -unlimited;
        if (score.tests == 0 || score.log_slowdown < std::log1p(settings.least_slowdown)) continue;
        score.log_support =
            candidates[i].log_prior + log_bayes_factor(score.log_slowdown, score.error, unlimited,
                                                       settings.usual_log_slowdown);
        score.error *= scale;
        score.degrees = degrees;
        score.log_odds =
            candidates[i].log_prior +
            log_bayes_factor(score.log_slowdown, score.error, degrees, settings.usual_log_slowdown);
    }
}

/// Single tests have heavy tails, as a delay may cover all of their repetitions; t with 4 degrees.
constexpr double degrees_of_single_tests = 4.0;

/// The tests of one pair are [begin, end). If the median of n entries is as high as this, at least
/// half of them are, and these are independent of each other.
Score score_of_pair(const Candidates& candidates, std::span<const Slowdown> tests, double noise,
                    const SuspicionSettings& settings) {
    Score score{.component = {.culprit = Culprit::pair,
                              .sender = tests[0].test.sender,
                              .receiver = tests[0].test.receiver},
                .error = noise,
                .degrees = degrees_of_single_tests};
    double smallest = unlimited;
    for (const auto& test : tests) smallest = std::min(smallest, test.value);
    score.log_slowdown = smallest;
    if (smallest < std::log1p(settings.least_slowdown)) return score;
    for (const auto& test : tests) {
        score.log_odds +=
            ((test.entries + 1) / 2) *
            log_bayes_factor(smallest, noise, degrees_of_single_tests, settings.usual_log_slowdown);
        score.tests += 1;
    }
    score.log_support = score.log_odds += candidates.log_prior_of_pair;
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
        const auto score = score_of_pair(candidates, of_pair, noise_of_entry, settings);
        if (score.log_odds > 0.0) scores.push_back(score);
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
                 const std::vector<bool>& counts, const SuspicionSettings& settings) {
    Scores scores;
    scores.noise = noise_of(slowdowns, counts);
    const auto medians = medians_of(candidates, slowdowns, counts, scores.noise);
    for (const auto& candidate : candidates.of_parts) {
        scores.of_parts.push_back(combined(candidate, medians));
    }
    const std::span<const Candidate> parts = candidates.of_parts;
    const std::span<Score> all = scores.of_parts;
    for (std::size_t begin = 0; begin < parts.size();) {
        std::size_t end = begin + 1;
        const auto culprit = parts[begin].component.culprit;
        while (end < parts.size() && parts[end].component.culprit == culprit) ++end;
        add_odds(all.subspan(begin, end - begin), parts.subspan(begin, end - begin), settings);
        begin = end;
    }
    scores.of_pairs = scores_of_pairs(candidates, slowdowns, counts, scores.noise, settings);
    return scores;
}

}  // namespace shardstone::validation
