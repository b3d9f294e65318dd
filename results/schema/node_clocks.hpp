// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "results/schema/schema.hpp"

namespace shardstone::results {

// Clocks of nodes, of `shardstone validate interconnect`.

/// Table "clock_samples": one reading of the clock of the day of a node.
struct ClockSampleRow {
    using Row = ClockSampleRow;
    double rank = not_measured;
    double round = not_measured;
    double at_unix_s = not_measured;
    double ahead_s = not_measured;
    double error_s = not_measured;

    static const TableSchema<ClockSampleRow> schema;
};

/// Table "clocks": the clock of the day of a node beside rank 0's.
struct ClockRow {
    using Row = ClockRow;
    double rank = not_measured;
    std::string host;
    double readings = not_measured;
    double offset_s = not_measured;
    double ahead_s = not_measured;
    double error_s = not_measured;
    double drift = not_measured;
    double drift_error = not_measured;

    static const TableSchema<ClockRow> schema;
};

}  // namespace shardstone::results
