// SPDX-License-Identifier: BSD-3-Clause
// How many samples tell a statistic from a limit.
#pragma once

#include <cstdint>
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
    /// below.
    std::int64_t further(std::span<const double> samples, StatisticShare share, double limit,
                         bool at_least);

    /// The fewest by which a limit can be kept, whatever they are: those for which the interval has
    /// an end above (of limits from below, at_least: below) the statistic.
    std::int64_t fewest_to_keep(StatisticShare share, bool at_least);

  private:
    std::int64_t to_decide_quantile(double share, std::int64_t below, std::int64_t count);

    double confidence_;
    std::map<std::tuple<double, std::int64_t, std::int64_t>, std::int64_t> known_;
};

/// "needs 5 more samples"; where a run takes at most `most` (0: unknown), and more are needed:
/// "needs 368 samples, and a run takes at most 24"; where no number is enough, that. Empty for
/// none.
std::string needed_in_words(double samples, double further, double most);

}  // namespace shardstone::validation
