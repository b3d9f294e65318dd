// SPDX-License-Identifier: BSD-3-Clause
// How many samples tell a statistic from a limit.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <tuple>

namespace shardstone::validation {

/// What of some samples is limited: the quantile of this share, or the mean if there is none.
using StatisticShare = std::optional<double>;

inline constexpr std::int64_t most_further_samples = 1 << 20;

/// Numbers of samples after which the interval for a statistic lies on one side of its limit, in
/// nine runs of ten, if samples keep the distribution of those that there are. Where all of these
/// are on one side, that is the fewest for which the interval has an end on that side at all. Keeps
/// what it found, since the many subjects of a limit are mostly alike.
class SamplesToDecide {
  public:
    explicit SamplesToDecide(double confidence) : confidence_(confidence) {}

    /// Beyond these samples, which do not decide: at least one; most_further_samples where no
    /// number is enough. `at_least`: samples equal to the limit count as above it, otherwise as
    /// below. `first_look` as in AcceptanceLimit.
    std::int64_t further(std::span<const double> samples, StatisticShare share, double limit,
                         bool at_least, int first_look = 0);

    /// The fewest by which a limit can be kept, whatever they are: those for which the interval has
    /// an end above (of limits from below, at_least: below) the statistic.
    std::int64_t fewest_to_keep(StatisticShare share, bool at_least, int first_look = 0);

    /// The samples of the first look (looks.hpp): as many as can decide, if a run takes so many.
    std::int64_t samples_of_first_look(StatisticShare share, bool at_least, int first_look);

    /// Of the interval by which so many samples are judged.
    double confidence_by(std::int64_t samples, StatisticShare share, bool at_least, int first_look);

  private:
    /// Of intervals by so many samples.
    using Confidence = std::function<double(std::int64_t)>;
    std::int64_t to_decide_quantile(double share, double share_below, std::int64_t first,
                                    const Confidence& confidence);

    double confidence_;
    std::map<std::tuple<double, double, bool, int>, std::int64_t> known_;
    std::map<std::tuple<double, bool, int>, std::int64_t> fewest_;
};

/// "needs 5 more samples: give a larger --budget"; where a run takes at most `most` (0: unknown),
/// and by these samples more are needed: "by these samples probably needs more than the 1536 that a
/// run takes at most"; where no number is enough by them, that. Empty for none.
std::string needed_in_words(double samples, double further, double most);

}  // namespace shardstone::validation
