// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "results/record/record.hpp"
#include "validation/interconnect/findings.hpp"
#include "validation/interconnect/measure_interconnect.hpp"

namespace shardstone::command {

/// Adds table "test_time" to the record, for the report. None of a soak that goes on: its tests are
/// those of an earlier run. For rank 0.
void add_test_time(const validation::InterconnectMeasurement& measured,
                   const validation::InterconnectFindings& findings,
                   const validation::InterconnectOptions& options, results::Record& record);

}  // namespace shardstone::command
