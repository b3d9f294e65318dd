// SPDX-License-Identifier: BSD-3-Clause
// Kernels of the reproducible mode: conversion of gradients to exact sums and back.
#pragma once

#include <cstdint>
#include <span>

#include "kernels/base/exact_sum.hpp"
#include "kernels/tensor/cuda.hpp"
#include "kernels/tensor/host.hpp"

namespace shardstone {

// All arrays are in the queue's memory space, contiguous and of equal length. Real is float or
// double.

/// Adds each gradient to its sum and clears it. A gradient beyond `limit` (exact_term_limit()) or
/// NaN is only cleared, and adds 1 to `lost`.
template <class Real>
void move_to_exact_sums(HostQueue queue, std::span<Real> gradients, double limit,
                        std::span<ExactPair> sums, std::int64_t& lost);
template <class Real>
void move_to_exact_sums(CudaQueue queue, Cuda::Span<Real> gradients, double limit,
                        Cuda::Span<ExactPair> sums, std::int64_t& lost);

/// sums += others, which is exact.
void add_exact_sums(HostQueue queue, std::span<const ExactPair> others, std::span<ExactPair> sums);
void add_exact_sums(CudaQueue queue, Cuda::Span<const ExactPair> others,
                    Cuda::Span<ExactPair> sums);

/// Each gradient = its sum, rounded once to FP64 and from there to Real.
template <class Real>
void round_exact_sums(HostQueue queue, std::span<const ExactPair> sums, std::span<Real> gradients);
template <class Real>
void round_exact_sums(CudaQueue queue, Cuda::Span<const ExactPair> sums,
                      Cuda::Span<Real> gradients);

}  // namespace shardstone
