// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "results/schema/schema.hpp"

namespace shardstone::results {

// Tables of the records that `shardstone validate` writes.

/// Table "layouts": one layout in one arithmetic, compared with one rank.
struct LayoutRow {
    using Row = LayoutRow;
    std::string layout;
    double ranks = not_measured;
    std::string arithmetic;
    std::string claim;
    double share_of_bound = not_measured;
    double final_loss = not_measured;
    double equal = not_measured;

    static const TableSchema<LayoutRow> schema;
};

/// Table "verdicts": one finding on a precision policy.
struct VerdictRow {
    using Row = VerdictRow;
    std::string part;
    std::string subject;
    std::string model;
    std::string verdict;
    std::string quantity;
    std::string worst;
    double value = not_measured;
    double low = not_measured;
    double high = not_measured;
    double allowed_low = not_measured;
    double allowed_high = not_measured;
    double further = not_measured;

    static const TableSchema<VerdictRow> schema;
};

/// Table "kernel_errors": one output of one kernel against the FP64 oracle.
struct KernelErrorRow {
    using Row = KernelErrorRow;
    std::string kernel;
    std::string output;
    std::string storage;
    std::string type;
    double elements = not_measured;
    double median_ulp = not_measured;
    double max_ulp = not_measured;
    double share_of_bound = not_measured;

    static const TableSchema<KernelErrorRow> schema;
};

/// Table "reduction_errors": sums over ranks of one algorithm.
struct ReductionErrorRow {
    using Row = ReductionErrorRow;
    std::string algorithm;
    std::string wire;
    double ranks = not_measured;
    double depth = not_measured;
    double max_ulp = not_measured;
    double bound_ulp = not_measured;
    double share_of_bound = not_measured;

    static const TableSchema<ReductionErrorRow> schema;
};

/// Table "gradient_errors": the gradient of one tensor under one policy.
struct GradientErrorRow {
    using Row = GradientErrorRow;
    std::string policy;
    std::string model;
    std::string state;
    std::string tensor;
    double layer = not_measured;
    double relative_norm = not_measured;
    double cosine = not_measured;
    double relative_to_fp32 = not_measured;
    double cosine_to_fp32 = not_measured;
    double share_of_bound = not_measured;

    static const TableSchema<GradientErrorRow> schema;
};

/// Table "held_out_losses": final result of one policy with one seed.
struct HeldOutLossRow {
    using Row = HeldOutLossRow;
    std::string policy;
    std::string model;
    double seed = not_measured;
    double held_out_loss = not_measured;
    double fp32_held_out_loss = not_measured;
    double optimum = not_measured;
    double entropy_rate = not_measured;
    double skipped_steps = not_measured;

    static const TableSchema<HeldOutLossRow> schema;
};

/// Table "loss_curves": one step, the mean over seeds.
struct LossCurveRow {
    using Row = LossCurveRow;
    std::string policy;
    std::string model;
    double step = not_measured;
    double loss = not_measured;
    double difference_to_fp32 = not_measured;

    static const TableSchema<LossCurveRow> schema;
};

}  // namespace shardstone::results
