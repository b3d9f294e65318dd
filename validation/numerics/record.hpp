// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "results/record/record.hpp"
#include "validation/numerics/numerics.hpp"

namespace shardstone::validation {

/// Begins a fresh record of kind "numerics": its configuration, and a table "verdicts".
void begin_record(const NumericsPlan& plan, results::Record& record);

/// What the items of a validation add to it. Derived tables, each only where its part was measured:
///   verdicts      part, subject, model, verdict, quantity, worst; value, low, high, allowed_low,
///                 allowed_high, further
///   kernel_errors      kernel, output, storage, type; elements, median_ulp, max_ulp,
///   share_of_bound reduction_errors   algorithm, wire; ranks, depth, max_ulp, bound_ulp,
///   share_of_bound gradient_errors    policy, model, state, tensor; layer, relative_norm, cosine,
///                      relative_to_fp32, cosine_to_fp32, share_of_bound
///   held_out_losses    policy, model; seed, held_out_loss, fp32_held_out_loss, optimum,
///                      entropy_rate, skipped_steps
///   loss_curves        policy, model; step, loss, difference_to_fp32 (means over the seeds)
/// A policy that fails is a finding, not a fault of the measurement: the record is verified by what
/// must hold of any policy (kernels and reductions within derived bounds) and by FP32 and FP64
/// having been measured as numbers.
results::Record part_of(const NumericsResult& result);

/// The findings that a record holds.
std::vector<PolicyFinding> findings_in(const results::Record& record);

/// How many of items_of() its plan the record holds, which are the first of them.
std::size_t finished_items(const results::Record& record);

}  // namespace shardstone::validation
