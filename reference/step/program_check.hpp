// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>

#include "reference/step/step_program.hpp"

namespace shardstone::reference {

/// Proves over the step programs of all replicas, in rank order, without running anything, that
/// - every action comes after what it names, and whatever order that allows is right:
/// - the buckets cut the `parameters` gradients without gap or overlap, alike on all ranks;
/// - every bucket is reduced exactly once, in the same order on all ranks, after the backward pass
///   that contributes to it last, waited for once, and the update comes after all waits;
/// - every micro-batch runs forward once, then backward once, both with the scale of the mean over
///   the global batch; over all ranks every sequence of the global batch is seen exactly once.
/// Throws Error naming rank and action of the first violation.
void check_step_programs(std::span<const StepProgram> programs, const BatchShape& batch,
                         std::int64_t parameters);

}  // namespace shardstone::reference
