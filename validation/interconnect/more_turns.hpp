// SPDX-License-Identifier: BSD-3-Clause
// Whether the turns of ranks leave it open if one is slow.
#pragma once

#include "validation/interconnect/interconnect_samples.hpp"

namespace shardstone::validation {

/// Whether a rank is slower than healthy ones may be, with odds (slow_ranks.hpp) between 1 to 3 and
/// ten thousand to 1: too low to accuse it, or so high by chance. What a neighbour of a virtual
/// machine takes of a core for some seconds is gone in later turns, and what a rank lacks is not.
/// Other work that was seen makes no difference. Pure.
bool more_turns_are_needed(const InterconnectSamples& samples);

}  // namespace shardstone::validation
