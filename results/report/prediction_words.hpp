// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "results/report/scaling_curve.hpp"

namespace shardstone::results {

/// That the runs of a point were predicted to take steps more than 10 % apart, from other
/// descriptions of the cluster or other rates: their mean is nobody's prediction. Else "".
std::string prediction_words(const ScalingCurve& curve, const ScalingPoint& point);

/// The descriptions that a curve's predictions were made from, with their sources; "" where the
/// records do not say (train --explain writes them).
std::string basis_words(const ScalingCurve& curve);

}  // namespace shardstone::results
