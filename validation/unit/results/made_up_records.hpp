// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "results/format/record.hpp"

namespace shardstone::validation {

// Records with the tables that the commands write, holding made-up numbers: for testing the report
// without running anything. Deterministic but for identity and environment.

results::Record made_up_collectives();
/// Losses are the same for all `ranks`, as reproducible runs are.
results::Record made_up_training(int ranks);
results::Record made_up_kernels();
results::Record made_up_probe();

}  // namespace shardstone::validation
