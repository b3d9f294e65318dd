// SPDX-License-Identifier: BSD-3-Clause
// The limits of an acceptance file, each held against all that it is for.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "validation/interconnect/disturbances.hpp"
#include "validation/interconnect/findings.hpp"
#include "validation/interconnect/pair_times.hpp"

namespace shardstone::validation {

/// One row for each limit: the subject (limited_subjects.hpp) whose finding is worst (fail before
/// inconclusive before pass, then by value). All verdicts on all of them are right together with
/// 95 %.
/// What was measured on a disturbed machine only, and may be within its limit without, is
/// inconclusive. Further tests, made to tell suspects apart, do not count (but with --alone, as
/// which they are tests like the others). A limit of which nothing was measured is inconclusive.
std::vector<results::AcceptanceRow> judge_limits_in_force(const InterconnectSamples& samples,
                                                          std::span<const Place> places,
                                                          std::span<const PairTime> times,
                                                          const Disturbances& disturbances);

/// Samples that each subject gets before the limits on a part of the tests (disturbances.hpp) are
/// judged next (looks.hpp); 0 where they are decided, or no further ones would decide them. All
/// parts must have been measured: how sure a verdict has to be depends on how many there are. Pure.
std::int64_t samples_to_next_look(const InterconnectSamples& samples, const std::string& part);

/// A sentence for each limit that no run can keep, by its statistic and the fewest subjects there
/// can be: of more, intervals are wider.
std::vector<std::string> limits_never_kept(std::span<const AcceptanceLimit> limits);

/// "median 12.3 us (12.1 to 12.6), limit 9 us", with what is still needed if it is inconclusive. Of
/// few samples there may be but one bound, or none.
std::string against_limit(const results::AcceptanceRow& row);

}  // namespace shardstone::validation
