// SPDX-License-Identifier: BSD-3-Clause
// Tables of the records that `shardstone step` writes.
#include "results/schema/arithmetic.hpp"

#include "results/schema/disturbance.hpp"
#include "results/schema/model_flop.hpp"

namespace shardstone::results {

const TableSchema<ArithmeticRow> ArithmeticRow::schema{
    "arithmetic", Role::derived,
    "A training step without communication, run by every rank independently, in one row.",
    with_disturbance<Row>(
        {{"ranks", "1", "Number of ranks, each of which ran a whole step at the same time.",
          &Row::ranks, 3},
         {"step_s", "s", "Median over steps of the time of the slowest rank.", &Row::step_s, 3},
         {"step_low_s", "s",
          "Lower end of the 95 % interval for it; not a number with fewer than six steps.",
          &Row::step_low_s, 3},
         {"step_high_s", "s", "Upper end of that interval.", &Row::step_high_s, 3},
         {"forward_s", "s", "Median time of the forward pass on rank 0.", &Row::forward_s, 3},
         {"backward_s", "s", "Median time of the backward pass on rank 0.", &Row::backward_s, 3},
         {"optimizer_s", "s", "Median time of AdamW's update on rank 0.", &Row::optimizer_s, 3},
         {"zeroing_s", "s", "Median time of setting the gradients to zero on rank 0.",
          &Row::zeroing_s, 3},
         {"tokens_per_s", "1/s", "Tokens of one rank's step over its median time.",
          &Row::tokens_per_s, 3},
         {"flop_parameters", "1", flop_parameters_meaning, &Row::flop_parameters, 3},
         {"flop_per_token", "FLOP", flop_per_token_meaning, &Row::flop_per_token, 3},
         {"flop_per_s", "FLOP/s", "Model FLOP of one rank's step over its median time.",
          &Row::flop_per_s, 3},
         {"mfu", "1", "flop_per_s over core_peak_flop_per_s.", &Row::mfu, 3},
         {"core_peak_flop_per_s", "FLOP/s",
          "Measured peak of one core; on GPUs, of one GPU, or of a rank's share of one.",
          &Row::core_peak_flop_per_s, 3},
         {"peak_arithmetic", "", "Arithmetic in which the peak was measured.",
          &Row::peak_arithmetic, 3},
         {"peak_method", "", "Method by which the peak was measured.", &Row::peak_method, 3},
         {"first_loss", "nat", "Loss per token before the first step.", &Row::first_loss, 3},
         {"last_loss", "nat", "Loss per token before the last step, on the same tokens.",
          &Row::last_loss, 3}})};

const TableSchema<ArithmeticStepRow> ArithmeticStepRow::schema{
    "arithmetic_steps",
    Role::samples,
    "One step of command step.",
    {{"iteration", "1", "Number of the step after the warm-up, from 0.", &Row::iteration, 3},
     {"step_s", "s", "Time of the step, the maximum over ranks.", &Row::step_s, 3},
     {"forward_s", "s", "Time of the forward pass on rank 0.", &Row::forward_s, 3},
     {"backward_s", "s", "Time of the backward pass on rank 0.", &Row::backward_s, 3},
     {"optimizer_s", "s", "Time of AdamW's update on rank 0.", &Row::optimizer_s, 3},
     {"zeroing_s", "s", "Time of setting the gradients to zero on rank 0.", &Row::zeroing_s, 3}}};

}  // namespace shardstone::results
