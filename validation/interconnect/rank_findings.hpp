// SPDX-License-Identifier: BSD-3-Clause
// Ranks that are slow in a test of ranks, and whether others on their machine may be why.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "results/schema/gpu_use.hpp"
#include "results/schema/interconnect.hpp"
#include "validation/interconnect/disturbances.hpp"
#include "validation/interconnect/interconnect_samples.hpp"

namespace shardstone::validation {

/// One rank in one test.
struct RankFinding {
    results::RankTestRow row;
    Disturbance seen;          ///< of its machine
    bool is_slow = false;      ///< by the odds (slow_ranks.hpp)
    bool is_doubtful = false;  ///< but what was seen may be why
    std::string reason;        ///< a sentence, if it is slow
};

/// Of all tests and ranks. `gpus`: what is told of a slow one (gpu_clocks.hpp).
std::vector<RankFinding> find_slow_ranks(const InterconnectSamples& samples,
                                         const Disturbances& disturbances,
                                         std::span<const results::GpuUseRow> gpus);

}  // namespace shardstone::validation
