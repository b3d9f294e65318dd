// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "results/schema/schema.hpp"

namespace shardstone::results {

// Tables of the record that `shardstone step` writes.

/// Table "arithmetic": cost of one training step on one core or GPU, in one row.
struct ArithmeticRow {
    using Row = ArithmeticRow;
    double ranks = not_measured;
    double step_s = not_measured;
    double step_low_s = not_measured;
    double step_high_s = not_measured;
    double forward_s = not_measured;
    double backward_s = not_measured;
    double optimizer_s = not_measured;
    double zeroing_s = not_measured;
    double tokens_per_s = not_measured;
    double flop_parameters = not_measured;
    double flop_per_token = not_measured;
    double flop_per_s = not_measured;
    double mfu = not_measured;
    double core_peak_flop_per_s = not_measured;
    std::string peak_arithmetic;
    std::string peak_method;
    double first_loss = not_measured;
    double last_loss = not_measured;
    double disturbed = not_measured, others_share = not_measured, waiting_share = not_measured;
    double stolen_share = not_measured, tries = not_measured;

    static const TableSchema<ArithmeticRow> schema;
};

/// Table "arithmetic_steps": one such step.
struct ArithmeticStepRow {
    using Row = ArithmeticStepRow;
    double iteration = not_measured;
    double step_s = not_measured;
    double forward_s = not_measured;
    double backward_s = not_measured;
    double optimizer_s = not_measured;
    double zeroing_s = not_measured;

    static const TableSchema<ArithmeticStepRow> schema;
};

}  // namespace shardstone::results
