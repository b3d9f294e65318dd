// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "reference/trainer/options.hpp"
#include "validation/oracle/update_rules.hpp"

namespace shardstone::validation {

// What the options of a training ask of the oracle's rules.

/// With rates for the batch at hand; a warm-up is no longer than the training.
oracle::RateRule rate_rule(const reference::TrainOptions& options);

/// Of step 1, 2, ... whose gradients have this norm; the tensor's kind and decay are the caller's.
oracle::UpdateRule update_rule(const reference::TrainOptions& options, std::int64_t step,
                               double norm);

/// Per parameter.
int moments_of(reference::OptimizerKind kind);

}  // namespace shardstone::validation
