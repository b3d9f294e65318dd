// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "results/schema/schema.hpp"

namespace shardstone::results {

// Tables of the record that `shardstone scale` writes: trainings on growing numbers of ranks.

/// Table "scaling": one number of ranks of one curve.
struct ScalingRow {
    using Row = ScalingRow;
    std::string curve;
    double ranks = not_measured;
    double runs = not_measured;
    double split_runs = not_measured;
    double tokens_per_s = not_measured;
    double tokens_per_s_low = not_measured;
    double tokens_per_s_high = not_measured;
    double speedup = not_measured;
    double efficiency = not_measured;
    double efficiency_low = not_measured;
    double efficiency_high = not_measured;
    double step_s = not_measured;
    double predicted_s = not_measured;
    double split_step_s = not_measured;
    double parts_s = not_measured;
    double disturbed = not_measured;

    static const TableSchema<ScalingRow> schema;
};

/// Table "scaling_gap": one part of a step of such a point.
struct ScalingGapRow {
    using Row = ScalingGapRow;
    std::string curve;
    double ranks = not_measured;
    std::string part;
    double time_s = not_measured;
    double predicted_s = not_measured;
    double lost_s = not_measured;
    double disturbed = not_measured;

    static const TableSchema<ScalingGapRow> schema;
};

/// Table "scaling_what_if": such a point if one thing were different.
struct ScalingChangeRow {
    using Row = ScalingChangeRow;
    std::string curve;
    double ranks = not_measured;
    std::string change;
    std::string detail;
    double tokens_per_s = not_measured;
    double ratio = not_measured;
    double disturbed = not_measured;

    static const TableSchema<ScalingChangeRow> schema;
};

/// Table "scaling_fits": what a model says of the largest point, which it has not seen.
struct ScalingFitRow {
    using Row = ScalingFitRow;
    std::string curve;
    std::string model;
    std::string parameters;
    double ranks = not_measured;
    double tokens_per_s = not_measured;
    double tokens_per_s_low = not_measured;
    double tokens_per_s_high = not_measured;
    double measured_tokens_per_s = not_measured;
    double holds = not_measured;
    std::string verdict;

    static const TableSchema<ScalingFitRow> schema;
};

/// Table "scaling_curves": whose runs a curve is of.
struct ScalingCurveRow {
    using Row = ScalingCurveRow;
    std::string curve;
    std::string machine;
    std::string device;
    double paced = not_measured;

    static const TableSchema<ScalingCurveRow> schema;
};

/// Table "scaling_findings": what is to be said of a curve.
struct ScalingFindingRow {
    using Row = ScalingFindingRow;
    std::string curve;
    std::string finding;

    static const TableSchema<ScalingFindingRow> schema;
};

}  // namespace shardstone::results
