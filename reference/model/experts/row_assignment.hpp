// SPDX-License-Identifier: BSD-3-Clause
// Which row of what a rank sends is whose: kernels on choices, which are few.
#pragma once

#include <cstdint>

#include "kernels/tensor/matrix.hpp"
#include "reference/model/experts/expert_part.hpp"

namespace shardstone::reference {

/// choices (N, K) are experts; picks (B, E) becomes how often each is chosen in each sequence.
template <class Real>
void count_picks(HostQueue queue, const ExpertPart& part, Matrix<const std::int32_t> choices,
                 Matrix<Real> picks);

/// counts (E) becomes how often each expert is among choices (N, K).
template <class Real>
void count_choices(HostQueue queue, Matrix<const std::int32_t> choices, Real* counts,
                   std::int64_t experts);

/// Fills rows (N, K) with the row of each choice (ExpertPart has the order), position by position
/// and within one from the largest gate on; -1 where the expert has no row left for the sequence.
/// Adds how many those are to `dropped` (1).
void assign_rows(HostQueue queue, const ExpertPart& part, Matrix<const std::int32_t> choices,
                 Matrix<std::int32_t> rows, double* dropped);

}  // namespace shardstone::reference
