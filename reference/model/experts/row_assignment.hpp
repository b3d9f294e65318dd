// SPDX-License-Identifier: BSD-3-Clause
// The assignment of a rank's sent rows to choices: kernels on choices, which are few.
#pragma once

#include <cstdint>

#include "kernels/tensor/cuda.hpp"
#include "kernels/tensor/matrix.hpp"
#include "reference/model/experts/expert_part.hpp"

namespace shardstone::reference {

/// choices (N, K) are experts; sets picks (B, E) to the number of choices of each in each sequence.
template <class Real>
void count_picks(HostQueue queue, const ExpertPart& part, Matrix<const std::int32_t> choices,
                 Matrix<Real> picks);
template <class Real>
void count_picks(CudaQueue queue, const ExpertPart& part, Matrix<const std::int32_t, Cuda> choices,
                 Matrix<Real, Cuda> picks);

/// Sets counts (E) to the number of occurrences of each expert in choices (N, K).
template <class Real>
void count_choices(HostQueue queue, Matrix<const std::int32_t> choices, Real* counts,
                   std::int64_t experts);
template <class Real>
void count_choices(CudaQueue queue, Matrix<const std::int32_t, Cuda> choices, Real* counts,
                   std::int64_t experts);

/// Fills rows (N, K) with the row of each choice (for the order, see ExpertPart), position by
/// position and within a position from the largest gate on; -1 if the expert has no row left for
/// the sequence. Adds the number of the latter to `dropped` (1).
void assign_rows(HostQueue queue, const ExpertPart& part, Matrix<const std::int32_t> choices,
                 Matrix<std::int32_t> rows, double* dropped);
void assign_rows(CudaQueue queue, const ExpertPart& part, Matrix<const std::int32_t, Cuda> choices,
                 Matrix<std::int32_t, Cuda> rows, double* dropped);

}  // namespace shardstone::reference
