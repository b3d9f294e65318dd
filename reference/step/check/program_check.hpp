// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>

#include "reference/step/step_program.hpp"

namespace shardstone::reference {

/// Proves over the step programs of all ranks, in rank order, without running anything, that
/// - they can be run to the end: every send meets its receive, every transfer begins on all members
///   in the same order, there is no deadlock (timeline.hpp), and needs name earlier actions;
/// - on every rank each micro-batch of its replica passes each of its units forward once, then
///   backward once (or once in each half), all with scale 1, in slots that no other uses
///   meanwhile, and what a chunk receives or sends belongs to that micro-batch; over the replicas
///   every sequence of the global batch is seen exactly once;
/// - every pass runs the phases of its unit in order, each once, and what they leave for the tensor
///   group is sent and has arrived before it is needed;
/// - under ZeRO-3 the weights that a pass reads have been gathered since their buffer last held
///   others;
/// - the gradients of every parameter are reduced exactly once over its replicas after the last
///   backward pass that adds to them (under ZeRO-2 and 3 once per micro-batch, before their buffer
///   is used again), under sequence parallelism after those of replicated parameters have been
///   summed over the tensor group exactly once, and the copies of the tied embedding exactly once
///   after that; norm and update come after all of them; under ZeRO-1 and 2 every weight is
///   gathered once after the update;
/// - the loss and the norm are summed exactly once over all ranks, and so are the norms of tensors,
///   after that, if and only if the optimizer wants them.
/// Throws Error naming rank and action of the first violation.
void check_step_programs(const StepSpec& spec, std::span<const StepProgram> programs);

}  // namespace shardstone::reference
