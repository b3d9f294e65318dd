// SPDX-License-Identifier: BSD-3-Clause
// How often each test of an interconnect is made.
#pragma once

namespace shardstone::validation {

/// Numbers of passes over the same pairs: the fewest give a median an interval of 95 % with one to
/// spare, and more than the usual ones narrow it by little: they are made for limits that remain
/// undecided (looks.hpp).
inline constexpr int least_passes = 7, usual_passes = 24;

/// Of each clock, before the other tests and again after them.
inline constexpr int readings_of_clocks = 8;

}  // namespace shardstone::validation
