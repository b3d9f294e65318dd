// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "results/schema/schema.hpp"

namespace shardstone::results {

// Tables of the records that `shardstone train` writes.

/// Table "steps": one optimizer step.
struct StepRow {
    using Row = StepRow;
    double step = not_measured;
    double loss = not_measured;
    double learning_rate = not_measured;
    double gradient_norm = not_measured;
    double loss_scale = not_measured;
    double skipped = not_measured;
    double tokens_per_s = not_measured;
    double time_s = not_measured;
    double compute_s = not_measured;
    double communication_s = not_measured;
    double data_s = not_measured;
    double optimizer_s = not_measured;
    double preempted_s = not_measured;

    static const TableSchema<StepRow> schema;
};

/// Table "rank_steps": one rank's measurements of one step.
struct RankStepRow {
    using Row = RankStepRow;
    double step = not_measured;
    double rank = not_measured;
    double time_s = not_measured;
    double compute_s = not_measured;
    double communication_s = not_measured;
    double data_s = not_measured;
    double optimizer_s = not_measured;
    double preempted_s = not_measured;

    static const TableSchema<RankStepRow> schema;
};

/// Table "core_waits": how long one rank waited for a core in one step.
struct CoreWaitRow {
    using Row = CoreWaitRow;
    double step = not_measured;
    double rank = not_measured;
    double waited_s = not_measured;

    static const TableSchema<CoreWaitRow> schema;
};

/// Table "summary": the run, in one row.
struct TrainingRow {
    using Row = TrainingRow;
    double ranks = not_measured;
    std::string model;
    std::string split;
    double tokens_per_s = not_measured;
    double tokens_per_s_low = not_measured;
    double tokens_per_s_high = not_measured;
    double step_s = not_measured;
    double step_s_low = not_measured;
    double step_s_high = not_measured;
    double uncounted_steps = not_measured;
    double counted_steps = not_measured;
    double tokens_per_step = not_measured;
    double flop_parameters = not_measured;
    double flop_per_token = not_measured;
    double flop_per_s = not_measured;
    double mfu = not_measured;
    double core_peak_flop_per_s = not_measured;
    double busy_cores = not_measured;
    std::string peak_arithmetic;
    std::string peak_method;
    double duration_s = not_measured;
    double final_loss = not_measured;
    double validation_loss = not_measured;
    double entropy_rate = not_measured;
    double compute_s = not_measured;
    double communication_s = not_measured;
    double data_s = not_measured;
    double optimizer_s = not_measured;
    double preempted_s = not_measured;
    double disturbed = not_measured, others_share = not_measured, waiting_share = not_measured;
    double stolen_share = not_measured, tries = not_measured;

    static const TableSchema<TrainingRow> schema;
};

/// Table "memory": one class of memory of rank 0.
struct MemoryRow {
    using Row = MemoryRow;
    std::string name;
    double measured_bytes = not_measured;
    double formula_bytes = not_measured;
    double fp32_formula_bytes = not_measured;

    static const TableSchema<MemoryRow> schema;
};

/// Table "bytes": bytes sent by one rank.
struct SentBytesRow {
    using Row = SentBytesRow;
    double rank = not_measured;
    double sent_bytes = not_measured;
    double scheduled_bytes = not_measured;

    static const TableSchema<SentBytesRow> schema;
};

/// Table "evaluations": the loss over held-out sequences after one step.
struct EvaluationRow {
    using Row = EvaluationRow;
    double step = not_measured;
    double validation_loss = not_measured;

    static const TableSchema<EvaluationRow> schema;
};

/// Table "router": use of the experts in one optimizer step, means over blocks.
struct RouterRow {
    using Row = RouterRow;
    double step = not_measured;
    double balance_loss = not_measured;
    double router_z_loss = not_measured;
    double dropped_share = not_measured;

    static const TableSchema<RouterRow> schema;
};

/// Table "gap": one part of the time of a step.
struct GapRow {
    using Row = GapRow;
    std::string part;
    double time_s = not_measured;
    double time_s_low = not_measured;
    double time_s_high = not_measured;
    double predicted_s = not_measured;
    double split_steps = not_measured;

    static const TableSchema<GapRow> schema;
};

/// Table "what_if": the step if one thing were different.
struct ChangedStepRow {
    using Row = ChangedStepRow;
    std::string change;
    std::string detail;
    double step_s = not_measured;
    double predicted_s = not_measured;

    static const TableSchema<ChangedStepRow> schema;
};

/// Table "hashes": of a --reproducible run, equal for all layouts of the same tp, cp and ep.
struct HashRow {
    using Row = HashRow;
    std::string of;
    std::string xxh3;

    static const TableSchema<HashRow> schema;
};

}  // namespace shardstone::results
