// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "results/schema/schema.hpp"

namespace shardstone::results {

// Tables of the records that `shardstone collectives` and `shardstone simulate` write.

/// Table "collectives": one algorithm at one size.
struct CollectiveRow {
    using Row = CollectiveRow;
    std::string operation;
    std::string algorithm;
    double in_place = not_measured;
    double size_bytes = not_measured;
    double ranks = not_measured;
    double time_s = not_measured;
    double time_low_s = not_measured;
    double time_high_s = not_measured;
    double p95_s = not_measured;
    double p99_s = not_measured;
    double skew_s = not_measured;
    double algbw_gb_s = not_measured;
    double busbw_gb_s = not_measured;
    double predicted_s = not_measured;
    double measured_before_s = not_measured;
    double bytes_sent_per_rank = not_measured;
    double inside_node_bytes = not_measured;
    double between_nodes_bytes = not_measured;
    double rotated_buffers = not_measured;
    double warmup_iterations = not_measured;
    double checked = not_measured;
    std::string reason;
    double mean_s = not_measured;
    double disturbed = not_measured, others_share = not_measured, waiting_share = not_measured;
    double stolen_share = not_measured, tries = not_measured;

    static const TableSchema<CollectiveRow> schema;
};

/// Table "samples": one timed iteration.
struct CollectiveSampleRow {
    using Row = CollectiveSampleRow;
    std::string operation;
    std::string algorithm;
    double in_place = not_measured;
    double size_bytes = not_measured;
    double iteration = not_measured;
    double time_s = not_measured;
    double with_skew_s = not_measured;
    double skew_s = not_measured;

    static const TableSchema<CollectiveSampleRow> schema;
};

/// Table "noise_floor": the fastest of our algorithms at one size, measured against itself.
struct NoiseFloorRow {
    using Row = NoiseFloorRow;
    std::string operation;
    std::string algorithm;
    double in_place = not_measured;
    double size_bytes = not_measured;
    double ratio = not_measured;
    double ratio_low = not_measured;
    double ratio_high = not_measured;
    double iterations_per_round = not_measured;
    double disturbed = not_measured, others_share = not_measured, waiting_share = not_measured;
    double stolen_share = not_measured, tries = not_measured;

    static const TableSchema<NoiseFloorRow> schema;
};

/// Table "noise_floor_rounds": one round of it.
struct NoiseFloorRoundRow {
    using Row = NoiseFloorRoundRow;
    std::string operation;
    std::string algorithm;
    double in_place = not_measured;
    double size_bytes = not_measured;
    double round = not_measured;
    double ratio = not_measured;

    static const TableSchema<NoiseFloorRoundRow> schema;
};

/// Table "cost_parameters": parameters of the cost model.
struct CostParameterRow {
    using Row = CostParameterRow;
    std::string name;
    double value = not_measured;
    double disturbed = not_measured, others_share = not_measured, waiting_share = not_measured;
    double stolen_share = not_measured, tries = not_measured;

    static const TableSchema<CostParameterRow> schema;
};

/// Table "accuracy": accuracy of the sums of one algorithm in one type.
struct AccuracyRow {
    using Row = AccuracyRow;
    std::string operation;
    std::string algorithm;
    std::string type;
    double elements = not_measured;
    double depth = not_measured;
    double max_ulp = not_measured;
    double rms_ulp = not_measured;
    double bound_ulp = not_measured;
    double share_of_bound = not_measured;
    double same_in_all_runs = not_measured;
    double same_on_all_ranks = not_measured;
    double as_scheduled = not_measured;
    std::string digest;

    static const TableSchema<AccuracyRow> schema;
};

/// Table "simulated": one algorithm at one size on a described cluster. Predicted, not measured.
struct SimulatedRow {
    using Row = SimulatedRow;
    std::string algorithm;
    double ranks = not_measured;
    double size_bytes = not_measured;
    double predicted_s = not_measured;
    double predicted_algbw_gb_s = not_measured;
    double predicted_busbw_gb_s = not_measured;
    double messages = not_measured;

    static const TableSchema<SimulatedRow> schema;
};

/// Table "simulated_traffic": its load on the links of one class. Predicted, not measured.
struct SimulatedTrafficRow {
    using Row = SimulatedTrafficRow;
    std::string algorithm;
    double ranks = not_measured;
    double size_bytes = not_measured;
    std::string link_class;
    double bytes = not_measured;
    double busiest_link_bytes = not_measured;
    double busiest_link_gb_s = not_measured;
    double capacity_gb_s = not_measured;
    double busy_s = not_measured;

    static const TableSchema<SimulatedTrafficRow> schema;
};

}  // namespace shardstone::results
