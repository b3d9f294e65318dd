// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "results/report/scaling_curve.hpp"

namespace shardstone::results {

/// Sentences on the largest point: its efficiency with its largest losses, what it would be if one
/// thing were different, and what each model said of it. Where points are disturbed, the first
/// names what no verdict is drawn on, and only the tables have the figures of that.
std::vector<std::string> scaling_findings(const ScalingCurve& curve);

}  // namespace shardstone::results
