// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>

#include "reference/step/check/program_view.hpp"

namespace shardstone::reference {

/// All ranks of a replica take the same sequences for a micro-batch, and over the replicas every
/// sequence of the global batch is taken exactly once. Every pass is in the programs (PassProof).
void check_sequences(std::span<const ProgramView> views);

/// A chunk receives what the chunk before it (for gradients, after it) sent for the same
/// micro-batch of its own replica. Messages have been matched (timeline.hpp).
void check_messages(std::span<const ProgramView> views);

/// Members of a group sum the same elements of the same parameters together, wherever these are in
/// their buffers. The order has been compared (timeline.hpp).
void check_places(std::span<const ProgramView> views);

}  // namespace shardstone::reference
