// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "results/schema/schema.hpp"

namespace shardstone::results {

// Collectives and the messages of training steps beside their predictions, of `shardstone validate
// interconnect`.

/// Table "traffic_samples": one collective, or one step.
struct TrafficSampleRow {
    using Row = TrafficSampleRow;
    std::string traffic;
    double size_bytes = not_measured;
    double number = not_measured;
    double time_s = not_measured;
    double predicted_s = not_measured;
    double judged = not_measured;
    double wrong_elements = not_measured;
    double uncertainty = 1.0;

    static const TableSchema<TrafficSampleRow> schema;
};

/// Table "traffic": a collective or step beside its prediction.
struct TrafficRow {
    using Row = TrafficRow;
    std::string traffic;
    double size_bytes = not_measured;
    double samples = not_measured;
    double time_s = not_measured;
    double time_low_s = not_measured;
    double time_high_s = not_measured;
    double predicted_s = not_measured;
    double over_prediction = not_measured;
    double over_low = not_measured;
    double over_high = not_measured;
    double prediction_error = not_measured;
    double slow = not_measured;
    double further = not_measured;
    double disturbed = not_measured;

    static const TableSchema<TrafficRow> schema;
};

}  // namespace shardstone::results
