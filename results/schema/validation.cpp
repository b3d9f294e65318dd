// SPDX-License-Identifier: BSD-3-Clause
// Columns of the tables of layout equivalence and of the errors of precision policies.
#include "results/schema/validation.hpp"

namespace shardstone::results {

namespace {

constexpr const char* policy_meaning = "Precision policy.";
constexpr const char* model_meaning = "Model.";

}  // namespace

const TableSchema<LayoutRow> LayoutRow::schema{
    "layouts",
    Role::derived,
    "One layout, compared with one rank.",
    {{"layout", "", "Layout; in the first records, the all-reduce.", &Row::layout},
     {"ranks", "1", "Number of ranks.", &Row::ranks},
     {"arithmetic", "", "Precision and optimizer.", &Row::arithmetic, 2},
     {"claim", "", "'bitwise', or 'bounded' where a sum is split between ranks.", &Row::claim, 2},
     {"share_of_bound", "1",
      "Largest difference of gradients over its derived bound; on GPUs "
      "also where bits are claimed, against a core.",
      &Row::share_of_bound, 2},
     {"final_loss", "nat", "Loss of the last step.", &Row::final_loss, 2},
     {"equal", "1", "1 if it trains the same model as one rank, else 0.", &Row::equal}}};

const TableSchema<VerdictRow> VerdictRow::schema{
    "verdicts",
    Role::derived,
    "One finding on a precision policy.",
    {{"part", "", "Part of the comparison: kernels, reductions, gradients or trajectories.",
      &Row::part},
     {"subject", "", "Precision policy.", &Row::subject},
     {"model", "", model_meaning, &Row::model},
     {"verdict", "", "pass, fail or undecided.", &Row::verdict},
     {"quantity", "", "Quantity in 'value'.", &Row::quantity},
     {"worst", "", "Location of its maximum.", &Row::worst},
     {"value", "1", "Estimate of the quantity.", &Row::value},
     {"low", "1", "Lower end of its 95 % interval.", &Row::low},
     {"high", "1", "Upper end of that interval.", &Row::high},
     {"allowed_low", "1", "Lowest allowed value.", &Row::allowed_low},
     {"allowed_high", "1", "Highest allowed value.", &Row::allowed_high},
     {"further", "1", "Estimated number of samples still needed for a decision.", &Row::further}}};

const TableSchema<KernelErrorRow> KernelErrorRow::schema{
    "kernel_errors",
    Role::derived,
    "One output of one kernel against the FP64 oracle.",
    {{"kernel", "", "Kernel.", &Row::kernel},
     {"output", "", "Name of the output.", &Row::output},
     {"storage", "", "Element type of its inputs.", &Row::storage},
     {"type", "", "Element type of the output.", &Row::type},
     {"elements", "1", "Elements compared.", &Row::elements},
     {"median_ulp", "ulp", "Median error in units in the last place of the type.",
      &Row::median_ulp},
     {"max_ulp", "ulp", "Largest error.", &Row::max_ulp},
     {"share_of_bound", "1", "Largest error over its derived bound.", &Row::share_of_bound}}};

const TableSchema<ReductionErrorRow> ReductionErrorRow::schema{
    "reduction_errors",
    Role::derived,
    "Sums over ranks by one algorithm.",
    {{"algorithm", "", "All-reduce algorithm.", &Row::algorithm},
     {"wire", "", "Element type of the messages.", &Row::wire},
     {"ranks", "1", "Number of ranks.", &Row::ranks},
     {"depth", "1", "Additions on the longest path into a result.", &Row::depth},
     {"max_ulp", "ulp", "Largest error in units in the last place of the type.", &Row::max_ulp},
     {"bound_ulp", "ulp", "Derived bound at its largest.", &Row::bound_ulp},
     {"share_of_bound", "1", "Largest error over its own bound.", &Row::share_of_bound}}};

const TableSchema<GradientErrorRow> GradientErrorRow::schema{
    "gradient_errors",
    Role::derived,
    "The gradient of one tensor under one policy.",
    {{"policy", "", policy_meaning, &Row::policy},
     {"model", "", model_meaning, &Row::model},
     {"state", "", "Initial or trained weights.", &Row::state},
     {"tensor", "", "Parameter.", &Row::tensor},
     {"layer", "1", "Layer of the parameter, -1 outside the blocks.", &Row::layer},
     {"relative_norm", "1", "Norm of the difference to FP64 over FP64's norm.",
      &Row::relative_norm},
     {"cosine", "1", "Cosine of the angle to the FP64 gradient.", &Row::cosine},
     {"relative_to_fp32", "1", "Norm of the difference to FP32 over FP32's norm.",
      &Row::relative_to_fp32},
     {"cosine_to_fp32", "1", "Cosine of the angle to the FP32 gradient.", &Row::cosine_to_fp32},
     {"share_of_bound", "1", "Error over its statistical bound, geometric mean over batches.",
      &Row::share_of_bound}}};

const TableSchema<HeldOutLossRow> HeldOutLossRow::schema{
    "held_out_losses",
    Role::derived,
    "Final result of one policy with one seed.",
    {{"policy", "", policy_meaning, &Row::policy},
     {"model", "", model_meaning, &Row::model},
     {"seed", "1", "Seed.", &Row::seed},
     {"held_out_loss", "nat", "Loss over held-out sequences at the end.", &Row::held_out_loss},
     {"fp32_held_out_loss", "nat", "Loss of FP32 with the same seed.", &Row::fp32_held_out_loss},
     {"optimum", "nat", "Least loss possible with the model's context.", &Row::optimum},
     {"entropy_rate", "nat", "Least loss possible in the language.", &Row::entropy_rate},
     {"skipped_steps", "1", "Steps skipped because a gradient overflowed.", &Row::skipped_steps}}};

const TableSchema<LossCurveRow> LossCurveRow::schema{
    "loss_curves",
    Role::derived,
    "One training step of one policy, the mean over seeds.",
    {{"policy", "", policy_meaning, &Row::policy},
     {"model", "", model_meaning, &Row::model},
     {"step", "1", "Number of the step, from 1.", &Row::step},
     {"loss", "nat", "Training loss.", &Row::loss},
     {"difference_to_fp32", "nat", "Difference to FP32 over the seeds common to both.",
      &Row::difference_to_fp32}}};

}  // namespace shardstone::results
