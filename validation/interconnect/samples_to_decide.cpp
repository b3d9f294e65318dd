// SPDX-License-Identifier: BSD-3-Clause
// Searches the number of samples by the power of the interval that judges them.
#include "validation/interconnect/samples_to_decide.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>

#include "kernels/base/quantile_power.hpp"
#include "kernels/base/statistics.hpp"
#include "kernels/base/units.hpp"
#include "validation/interconnect/looks.hpp"

namespace shardstone::validation {

namespace {

/// Of the runs that take as many samples as are named.
constexpr double power = 0.9;
/// Of the standard normal distribution.
constexpr double quantile_of_power = 1.2815515655446004;
/// For statistics of which nothing is known yet; below this, no median has an interval at 95 %.
constexpr std::int64_t samples_where_nothing_is_known = 6;

/// The smallest count from `least` on that is enough, if enough for one means enough for all above
/// it up to the next of first, 2 first, 4 first ..., where confidences may change (looks.hpp);
/// otherwise one that is enough while the one below it is not. most_further_samples if none up to
/// there is.
std::int64_t smallest_enough(std::int64_t least, std::int64_t first,
                             const std::function<bool(std::int64_t)>& is_enough) {
    std::int64_t below = least - 1, enough = std::max(least, first);
    while (enough < most_further_samples && !is_enough(enough)) {
        below = enough;
        enough *= 2;
    }
    if (enough >= most_further_samples) return most_further_samples;
    while (enough - below > 1) {
        const std::int64_t middle = (below + enough) / 2;
        (is_enough(middle) ? enough : below) = middle;
    }
    return enough;
}

/// By Student's t: the mean is off by a normal error, and its standard error by about 1 in sqrt(2
/// (n
/// - 1)), so that distance >= error (t + z sqrt(1 + t^2 / (2 (n - 1)))) (Johnson and Welch,
/// Biometrika 31, 1940, for noncentral t).
std::int64_t to_decide_mean(std::span<const double> samples, double limit, std::int64_t first,
                            const std::function<double(std::int64_t)>& confidence) {
    const auto found = mean_estimate(samples);
    const double distance = std::abs(found.mean - limit);
    return smallest_enough(2, first, [&](std::int64_t count) {
        const double root = std::sqrt(static_cast<double>(count));
        const double t = half_width(root, static_cast<std::size_t>(count), confidence(count));
        const double spread = std::sqrt(1.0 + t * t / (2.0 * static_cast<double>(count - 1)));
        return distance * root >= found.deviation * (t + quantile_of_power * spread);
    });
}

}  // namespace

std::int64_t SamplesToDecide::to_decide_quantile(double share, double share_below,
                                                 std::int64_t first, const Confidence& confidence) {
    return smallest_enough(1, first, [&](std::int64_t wanted) {
        return quantile_power(static_cast<std::size_t>(wanted), share, share_below,
                              confidence(wanted)) >= power;
    });
}

std::int64_t SamplesToDecide::further(std::span<const double> samples, StatisticShare share,
                                      double limit, bool at_least, int first_look) {
    const auto count = std::ssize(samples);
    const auto confidence = [&](std::int64_t wanted) {
        return confidence_by(wanted, share, at_least, first_look);
    };
    const auto first =
        first_look > 0 ? samples_of_first_look(share, at_least, first_look) : std::int64_t{1};
    std::int64_t wanted = samples_where_nothing_is_known;
    if (share && count == 0) {
        wanted = fewest_to_keep(share, at_least, first_look);
    } else if (share) {
        const auto below = std::ranges::count_if(
            samples, [&](double x) { return x < limit || (!at_least && x == limit); });
        const double share_below = static_cast<double>(below) / static_cast<double>(count);
        const auto [place, is_new] =
            known_.try_emplace({*share, share_below, at_least, first_look}, 0);
        if (is_new) place->second = to_decide_quantile(*share, share_below, first, confidence);
        wanted = place->second;
    } else if (count >= 2) {
        wanted = to_decide_mean(samples, limit, first, confidence);
    }
    if (wanted == most_further_samples) return wanted;
    return std::max<std::int64_t>(wanted - count, 1);
}

std::int64_t SamplesToDecide::fewest_to_keep(StatisticShare share, bool at_least, int first_look) {
    if (!share) return 2;
    const auto [place, is_new] = fewest_.try_emplace({*share, at_least, first_look}, 0);
    if (is_new) {
        const double confidence = confidence_of_look(confidence_, std::max(1, first_look));
        place->second = to_decide_quantile(*share, at_least ? 0.0 : 1.0, 1,
                                           [&](std::int64_t) { return confidence; });
    }
    return place->second;
}

std::int64_t SamplesToDecide::samples_of_first_look(StatisticShare share, bool at_least,
                                                    int first_look) {
    const auto fewest = fewest_to_keep(share, at_least, first_look);
    return fewest <= most_samples_of_looks ? std::max(fewest, usual_first_look) : usual_first_look;
}

double SamplesToDecide::confidence_by(std::int64_t samples, StatisticShare share, bool at_least,
                                      int first_look) {
    if (first_look == 0) return confidence_;
    const auto first = samples_of_first_look(share, at_least, first_look);
    return confidence_of_look(confidence_, look_of(samples, first, first_look));
}

std::string needed_in_words(double samples, double further, double most) {
    if (!(further > 0.0)) return "";
    if (further >= most_further_samples) {
        return "by these samples too close to be told apart";
    }
    if (most > 0.0 && samples + further > most) {
        return fmt::format(
            "by these samples probably needs more than the {:.0f} that a run takes at most", most);
    }
    return fmt::format("needs {}: give a larger --budget",
                       counted(static_cast<std::int64_t>(further), "more sample"));
}

}  // namespace shardstone::validation
