// SPDX-License-Identifier: BSD-3-Clause
// How often a limit is judged while its samples are still taken, and with what confidence.
#pragma once

#include <cstdint>

namespace shardstone::validation {

// A run judges its limits by `first` samples of each subject, then takes as many again while one is
// undecided and time is left, and so on: look k is at first * 2^(k - 1) samples. Judged again and
// again at 95 %, a limit that is broken by a hair would sooner or later seem to be kept
// (Armitage, McPherson and Rowe, J. R. Stat. Soc. A 132, 1969). So every look spends a part of the
// error that is allowed, fixed before anything is seen (Lan and DeMets, Biometrika 70, 1983): a
// verdict can be wrong on the side only on which the truth is not, which an interval of confidence
// 1 - e does with at most e / 2. With e / 2^(k - 1) at look k all looks together are wrong with at
// most e / 2 + e / 4 + ... < e, however they depend on each other (Bonferroni). Samples that end
// between two looks, because the time is over, are judged as the later one.

/// The samples of a first look; more where no fewer can decide.
inline constexpr std::int64_t usual_first_look = 24;
/// Of each subject, those of the seventh look: what a run takes at most, however long.
inline constexpr std::int64_t most_samples_of_looks = usual_first_look << 6;

/// The number, from `number_of_first` on, of the look that judges so many samples.
int look_of(std::int64_t samples, std::int64_t first, int number_of_first);

/// Samples of the next look after these.
std::int64_t next_look_after(std::int64_t samples, std::int64_t first);

/// Of the interval at a look, if that of a limit which is judged once has this one.
double confidence_of_look(double confidence, int look);

}  // namespace shardstone::validation
