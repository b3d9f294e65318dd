// SPDX-License-Identifier: BSD-3-Clause
// Spells of time in which one of many alike was slow more often than chance allows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace shardstone::validation {

/// The numbers of the passes in which a subject (a link, a node's direction) was slow: ascending,
/// each once.
using SlowPasses = std::vector<std::int64_t>;

/// Passes `first` to `last`, in more than half of which a subject was slow.
struct Spell {
    std::size_t subject = 0;
    std::int64_t first = 0, last = 0;
    std::int64_t slow = 0;  ///< passes of them in which it was slow, the first and last among them
    double log10_odds = 0.0;  ///< decimal logarithm of the odds against chance

    std::int64_t passes() const noexcept { return last - first + 1; }
};

/// A healthy cluster has a spell with at most this probability.
inline constexpr double false_spells = 0.01;

/// All spells of subjects of one kind, of which each had `passes` passes, with odds of 1 /
/// `false_spells` or more; by subject, then by time. `all_subjects`: those of all kinds of the run,
/// among which any could have had a spell.
///
/// Candidates are the maximal segments of each series with +1 for a slow pass and -1 for another
/// (Ruzzo and Tompa 1999), so that none overlap. Under chance, slow passes of a subject fall
/// anywhere in time, and at any time on any subject of its kind. The probability of as many in the
/// segment is hypergeometric, given the totals: of the subject's passes over the run, and of all
/// subjects' within the segment. The larger of both counts, so that an alarm is false with the
/// stated probability if *either* is true of the healthy cluster: neither a neighbour that
/// disturbs all subjects for a while nor a subject that always is noisier than others makes a
/// spell. Of all S subjects, P beginnings and lengths L = 1, 2, ... each has the share
/// 1 / (S P L (L + 1)) of the permitted false alarms, which sum to one (Bonferroni). A single
/// subject has nobody beside it: only time counts.
std::vector<Spell> find_spells(std::span<const SlowPasses> subjects, std::int64_t passes,
                               std::size_t all_subjects);

/// log10 of the probability that of `drawn` items out of `items`, of which `marked` are marked,
/// `seen` or more are (hypergeometric). 0 <= seen <= drawn, marked <= items.
double log10_chance(std::int64_t items, std::int64_t marked, std::int64_t drawn, std::int64_t seen);

}  // namespace shardstone::validation
