// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "results/schema/schema.hpp"

namespace shardstone::results {

// What tests of pairs would have seen on simulated clusters, of `shardstone validate self-test`.

/// In the column "fault", of clusters without one.
constexpr const char* healthy_clusters = "healthy";

/// Table "simulated_trials": counts over trials with one kind of fault, severity and budget.
struct TrialRow {
    using Row = TrialRow;
    std::string fault;
    double rate = not_measured;
    double repetitions = not_measured;
    double trials = not_measured;
    double faults = not_measured;
    double detected = not_measured;
    double localised = not_measured;
    double all_right = not_measured;
    double false_alarms = not_measured;
    double further_tests = not_measured;

    static const TableSchema<TrialRow> schema;
};

/// Table "simulated_detection": shares of these, with intervals.
struct DetectionRow {
    using Row = DetectionRow;
    std::string fault;
    double rate = not_measured;
    double repetitions = not_measured;
    double detected = not_measured;
    double detected_low = not_measured;
    double detected_high = not_measured;
    double localised = not_measured;
    double localised_low = not_measured;
    double localised_high = not_measured;
    double false_alarms = not_measured;
    double false_alarms_low = not_measured;
    double false_alarms_high = not_measured;

    static const TableSchema<DetectionRow> schema;
};

}  // namespace shardstone::results
