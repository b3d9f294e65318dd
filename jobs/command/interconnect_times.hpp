// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "results/record/record.hpp"
#include "validation/interconnect/findings.hpp"
#include "validation/interconnect/measure_interconnect.hpp"

namespace shardstone::command {

/// Adds table "test_time" to the record, for the report. None of a soak that goes on: its tests are
/// those of an earlier run. For rank 0, as the others.
void add_test_time(const validation::InterconnectMeasurement& measured,
                   const validation::InterconnectFindings& findings,
                   const validation::InterconnectOptions& options, results::Record& record);

/// A paragraph on the screen if the tests took longer than they were given.
void say_if_over_budget(const validation::InterconnectMeasurement& measured, double budget_s);

/// A paragraph on the screen if a larger budget decides limits that are undecided.
void say_what_decides(const validation::InterconnectMeasurement& measured,
                      const validation::InterconnectFindings& findings,
                      const validation::InterconnectOptions& options);

}  // namespace shardstone::command
