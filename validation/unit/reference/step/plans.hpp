// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>

#include "reference/step/step_program.hpp"

namespace shardstone::validation {

/// A small model that a plan can train: a head or more for every tensor rank, uneven where it can
/// be, two experts for every expert rank, `layers` blocks, buckets of about half a block, and
/// `micro_batches` per replica.
reference::StepSpec small_spec(const reference::ParallelPlan& plan, std::int64_t layers,
                               std::int64_t micro_batches);

/// "dp=2,pp=2 1f1b chunks=1 m=4 ..."
std::string describe(const reference::StepSpec& spec);

}  // namespace shardstone::validation
