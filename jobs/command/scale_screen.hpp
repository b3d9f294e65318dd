// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "results/report/scaling_rows.hpp"

namespace shardstone::command {

/// What `shardstone scale` prints of one curve: its points, where a step of each went beside where
/// it was predicted to go, and the findings.
std::string scaling_text(const results::ScalingCurve& curve);

}  // namespace shardstone::command
