// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "results/report/section.hpp"
#include "results/report/sweep.hpp"

namespace shardstone::results {

/// "167 times quicker", with ", within the uncertainty" when the intervals overlap or are unknown.
std::string advantage(const SweepPoint& ours, const SweepPoint& rival);

/// What one sweep says about latency, bandwidth and the cost model, as findings and tiles.
void add_sweep_findings(const Sweep& sweep, Section& section);

}  // namespace shardstone::results
