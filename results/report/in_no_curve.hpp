// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "results/report/scaling_curve.hpp"

namespace shardstone::results {

/// The records of `sources` that are in none of these curves, each group of equal ones with what
/// they are and the reason: "a.json (nano, fp32, dp=8 on 8 ranks): no other number of ranks of its
/// system and machine", "a.json, b.json and 4 others (6 records of kind scale): no trainings".
std::vector<std::string> in_no_curve(const std::vector<ScalingCurve>& curves,
                                     const std::vector<Source>& sources);

}  // namespace shardstone::results
