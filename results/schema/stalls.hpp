// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "results/schema/schema.hpp"

namespace shardstone::results {

// Tables of stalls and stragglers, in every record with measurements of several ranks.

/// Table "outliers": a sample beyond what its distribution allows, or a stall outside the samples.
struct OutlierRow {
    using Row = OutlierRow;
    std::string operation;
    std::string algorithm;
    double in_place = not_measured;
    double size_bytes = not_measured;
    double step = not_measured;
    double attempt = not_measured;
    double kept = not_measured;
    double excused = not_measured;
    double iteration = not_measured;
    double timed = not_measured;
    double rank = not_measured;
    double node = not_measured;
    std::string place;
    double at_s = not_measured;
    double time_s = not_measured;
    double usual_s = not_measured;
    double times_as_large = not_measured;
    double still_s = not_measured;
    double waited_s = not_measured;
    double switches = not_measured;
    double faults = not_measured;
    double stolen_s = not_measured;
    std::string machine;

    static const TableSchema<OutlierRow> schema;
};

/// Table "rank_times": one rank's part in one point of a sweep, or in the steps of a training.
struct RankTimesRow {
    using Row = RankTimesRow;
    std::string operation;
    std::string algorithm;
    double in_place = not_measured;
    double size_bytes = not_measured;
    double rank = not_measured;
    double node = not_measured;
    double own_s = not_measured;
    double factor = not_measured;
    double late_s = not_measured;

    static const TableSchema<RankTimesRow> schema;
};

}  // namespace shardstone::results
