// SPDX-License-Identifier: BSD-3-Clause
// The phases of a pass through the experts of a block.
#pragma once

#include "reference/model/phase_list.hpp"

namespace shardstone::reference {

/// Positions go to their experts by an all-to-all over the expert ranks, and what becomes of them
/// comes back by another. A pass that computes again runs all of it: what the experts return is
/// needed for the gradients of the gates.
void add_experts_forward(PhaseList& list);

/// The same way back, while gradients of weights are computed.
void add_experts_backward(PhaseList& list);

}  // namespace shardstone::reference
