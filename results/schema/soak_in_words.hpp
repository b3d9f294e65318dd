// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "results/schema/interconnect.hpp"
#include "results/schema/soak.hpp"

namespace shardstone::results {

// Rows of a soak in words, shared by the screen and the report.

/// "30 s, 21 passes, 504 messages, 3 of them slow, 0 with wrong data, 0 standstills". Of `wrong`
/// those count that came after the soak's beginning. `windows` must not be empty.
std::string soak_in_words(const std::vector<SoakWindowRow>& windows,
                          const std::vector<WrongDataRow>& wrong,
                          const std::vector<StandstillRow>& standstills);

/// What was found in it, and how much of that counts: "2 episodes in which something was slow,
/// silent or wrong, 1 held against the cluster". Of none it is not said that nothing was slow where
/// most windows were disturbed: that is not decided. `windows` must not be empty.
std::string episodes_in_words(const std::vector<EpisodeRow>& episodes,
                              const std::vector<SoakWindowRow>& windows,
                              const std::vector<ConditionsRow>& conditions);

}  // namespace shardstone::results
