// SPDX-License-Identifier: BSD-3-Clause
// The phases of a pass through the experts of a block.
#pragma once

#include "reference/model/phase_list.hpp"

namespace shardstone::reference {

/// Positions are sent to their experts by an all-to-all over the expert ranks, and the results
/// return by another. A recomputation pass runs all of it: the experts' results are needed for the
/// gradients of the gates.
void add_experts_forward(PhaseList& list);

/// The reverse path, overlapped with gradients of weights.
void add_experts_backward(PhaseList& list);

}  // namespace shardstone::reference
