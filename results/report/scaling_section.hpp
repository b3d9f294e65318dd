// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "results/report/section.hpp"
#include "results/report/shown_curves.hpp"

namespace shardstone::results {

/// The report's section on these curves, of which there is at least one.
Section scaling_section_of(const std::vector<ShownCurve>& curves);

}  // namespace shardstone::results
