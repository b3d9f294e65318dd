// SPDX-License-Identifier: BSD-3-Clause
// Which row of what a rank sends is whose.
#pragma once

#include <cstdint>

#include "kernels/tensor/matrix.hpp"
#include "reference/model/experts/expert_part.hpp"

namespace shardstone::reference {

/// choices (N, K) are experts; picks (B, E) becomes how often each is chosen in each sequence.
template <class Real>
void count_picks(const ExpertPart& part, Matrix<const std::int32_t> choices, Matrix<Real> picks);

/// Fills rows (N, K) with the row of each choice (ExpertPart has the order), position by position
/// and within one from the largest gate on; -1 where the expert has no row left for the sequence.
/// Returns how many those are.
std::int64_t assign_rows(const ExpertPart& part, Matrix<const std::int32_t> choices,
                         Matrix<std::int32_t> rows);

}  // namespace shardstone::reference
