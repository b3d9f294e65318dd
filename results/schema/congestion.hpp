// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "results/schema/schema.hpp"

namespace shardstone::results {

// What other traffic does to messages between nodes, of `shardstone validate interconnect`.

/// Table "congestion_samples": one message of a pair under a load of the network.
struct CongestionSampleRow {
    using Row = CongestionSampleRow;
    std::string load;
    double sender = not_measured;
    double receiver = not_measured;
    double pass = not_measured;
    double size_bytes = not_measured;
    double time_s = not_measured;

    static const TableSchema<CongestionSampleRow> schema;
};

/// Table "congestion": one pair and direction under a load, beside itself alone.
struct CongestionRow {
    using Row = CongestionRow;
    std::string load;
    double sender = not_measured;
    double receiver = not_measured;
    double size_bytes = not_measured;
    double samples = not_measured;
    double alone_s = not_measured;
    double time_s = not_measured;
    double slowdown = not_measured;
    double slowdown_low = not_measured;
    double slowdown_high = not_measured;
    double longest_alone_s = not_measured;
    double longest_s = not_measured;
    double passes = not_measured;

    static const TableSchema<CongestionRow> schema;
};

/// Table "bisection": what the nodes of one half send to those of the other at once.
struct BisectionRow {
    using Row = BisectionRow;
    std::string direction;
    double pairs = not_measured;
    double size_bytes = not_measured;
    double passes = not_measured;
    double rate_gb_s = not_measured;
    double rate_low_gb_s = not_measured;
    double rate_high_gb_s = not_measured;
    double alone_gb_s = not_measured;

    static const TableSchema<BisectionRow> schema;
};

}  // namespace shardstone::results
