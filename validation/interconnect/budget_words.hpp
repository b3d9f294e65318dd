// SPDX-License-Identifier: BSD-3-Clause
// What a run says at its end of the time that its tests took, and of the time that would do more.
#pragma once

#include <span>
#include <string>

#include "validation/interconnect/measure_interconnect.hpp"

namespace shardstone::validation {

/// "passes over pairs 13.6 s, tests of ranks 47.0 s (turns again 7.00 s), preparing them 2.1 s".
std::string times_of_parts(const InterconnectMeasurement& measured);

/// Where the tests took over 5 % more than `budget_s` seconds: what took them, and why they were
/// made for all that. Otherwise empty. Pure.
std::string over_budget_in_words(const InterconnectMeasurement& measured, double budget_s);

/// What decides the limits that need more samples, by `acceptance`, the findings on them: a budget,
/// or the tests that a run which only went on with its soak did not make. Empty where nothing does,
/// or the run was stopped. Pure.
std::string what_decides_in_words(const InterconnectMeasurement& measured,
                                  std::span<const results::AcceptanceRow> acceptance,
                                  double soak_s);

}  // namespace shardstone::validation
