// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "results/schema/schema.hpp"

namespace shardstone::results {

// Tables of the records that `shardstone overlap` and `shardstone study` write.

/// Table "overlap": one figure over the rounds.
struct OverlapRow {
    using Row = OverlapRow;
    std::string figure;
    double median = not_measured;
    double low = not_measured;
    double high = not_measured;
    double disturbed = not_measured, others_share = not_measured, waiting_share = not_measured;
    double stolen_share = not_measured, tries = not_measured;

    static const TableSchema<OverlapRow> schema;
};

/// Table "overlap_rounds": one round, in one of the two modes.
struct OverlapRoundRow {
    using Row = OverlapRoundRow;
    std::string way;
    double round = not_measured;
    double step_s = not_measured;
    double exposed_s = not_measured;
    double compute_s = not_measured;
    double preempted_s = not_measured;

    static const TableSchema<OverlapRoundRow> schema;
};

/// Table "overlap_ranks": one rank's part in it.
struct OverlapRankRow {
    using Row = OverlapRankRow;
    std::string way;
    double round = not_measured;
    double rank = not_measured;
    double step_s = not_measured;
    double exposed_s = not_measured;
    double compute_s = not_measured;
    double preempted_s = not_measured;

    static const TableSchema<OverlapRankRow> schema;
};

/// Table "utilisation": a pipeline's, for one schedule and number of micro-batches.
struct UtilisationRow {
    using Row = UtilisationRow;
    std::string schedule;
    double micro_batches = not_measured;
    double measured = not_measured;
    double measured_low = not_measured;
    double measured_high = not_measured;
    double replayed = not_measured;
    double virtual_time = not_measured;
    double formula = not_measured;
    double median_span_s = not_measured;
    double median_span_low_s = not_measured;
    double median_span_high_s = not_measured;
    double warmup_steps = not_measured;
    double disturbed = not_measured, others_share = not_measured, waiting_share = not_measured;
    double stolen_share = not_measured, tries = not_measured;

    static const TableSchema<UtilisationRow> schema;
};

/// Table "pipeline_steps": one step behind it.
struct PipelineStepRow {
    using Row = PipelineStepRow;
    std::string schedule;
    double micro_batches = not_measured;
    double utilisation = not_measured;
    double span_s = not_measured;

    static const TableSchema<PipelineStepRow> schema;
};

/// Table "batches": cost of training at one batch size.
struct BatchRow {
    using Row = BatchRow;
    double batch = not_measured;
    double peak_rate = not_measured;
    double factor = not_measured;
    double steps = not_measured;
    double tokens = not_measured;
    double fitted_steps = not_measured;
    double fitted_tokens = not_measured;

    static const TableSchema<BatchRow> schema;
};

/// Table "noise": the gradient noise scale after some steps.
struct NoiseRow {
    using Row = NoiseRow;
    double step = not_measured;
    double validation_loss = not_measured;
    double gradient_square = not_measured;
    double trace = not_measured;
    double noise_scale = not_measured;
    double noise_scale_low = not_measured;
    double noise_scale_high = not_measured;

    static const TableSchema<NoiseRow> schema;
};

/// Table "trade_off": the curve fitted through the batch sizes, in one row.
struct TradeOffRow {
    using Row = TradeOffRow;
    double least_steps = not_measured;
    double least_sequences = not_measured;
    double critical_batch = not_measured;

    static const TableSchema<TradeOffRow> schema;
};

}  // namespace shardstone::results
