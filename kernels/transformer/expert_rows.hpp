// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "kernels/base/element_type.hpp"
#include "kernels/tensor/cuda.hpp"
#include "kernels/tensor/host.hpp"
#include "kernels/tensor/matrix.hpp"

namespace shardstone {

// Dispatch of positions to the experts chosen by router.hpp, and back. An expert reads its
// positions as rows of a buffer: rows (N, K) holds the row of choice k of position n, or -1 if that
// choice was dropped; no row occurs twice. choices (N, K) are the experts and probabilities (N, E)
// the router's, so that the gate of choice k is
// probabilities(n, choices(n, k)). Arithmetic is in Real = compute_t<S>, over k in order.

/// to[rows(n, k)] = x[n] (N, C). Other rows of `to` are unchanged.
template <class S>
void dispatch_rows(HostQueue queue, Matrix<const S> x, Matrix<const std::int32_t> rows,
                   Matrix<S> to);
template <class S>
void dispatch_rows(CudaQueue queue, Matrix<const S, Cuda> x, Matrix<const std::int32_t, Cuda> rows,
                   Matrix<S, Cuda> to);

/// out[n] (N, C) = sum over k of gate * from[rows(n, k)], rounded once, to R, Real or S; 0 if all
/// choices were dropped.
template <class S, class R>
void combine_rows(HostQueue queue, Matrix<const S> from, Matrix<const std::int32_t> rows,
                  Matrix<const std::int32_t> choices, Matrix<const compute_t<S>> probabilities,
                  Matrix<R> out);
template <class S, class R>
void combine_rows(CudaQueue queue, Matrix<const S, Cuda> from,
                  Matrix<const std::int32_t, Cuda> rows, Matrix<const std::int32_t, Cuda> choices,
                  Matrix<const compute_t<S>, Cuda> probabilities, Matrix<R, Cuda> out);

/// Backward of combine_rows() with respect to `from`: to[rows(n, k)] = gate * d_out[n] (N, C).
/// Other rows of `to` are unchanged.
template <class S>
void dispatch_gradient(HostQueue queue, Matrix<const S> d_out, Matrix<const std::int32_t> rows,
                       Matrix<const std::int32_t> choices, Matrix<const compute_t<S>> probabilities,
                       Matrix<S> to);
template <class S>
void dispatch_gradient(CudaQueue queue, Matrix<const S, Cuda> d_out,
                       Matrix<const std::int32_t, Cuda> rows,
                       Matrix<const std::int32_t, Cuda> choices,
                       Matrix<const compute_t<S>, Cuda> probabilities, Matrix<S, Cuda> to);

/// Backward of combine_rows() with respect to the gates: d_gates(n, k) = the dot product of
/// d_out[n] (N, C) and from[rows(n, k)]; 0 if the choice was dropped.
template <class S>
void gate_gradients(HostQueue queue, Matrix<const S> d_out, Matrix<const S> from,
                    Matrix<const std::int32_t> rows, Matrix<compute_t<S>> d_gates);
template <class S>
void gate_gradients(CudaQueue queue, Matrix<const S, Cuda> d_out, Matrix<const S, Cuda> from,
                    Matrix<const std::int32_t, Cuda> rows, Matrix<compute_t<S>, Cuda> d_gates);

/// Backward of dispatch_rows(): out[n] (N, C) = sum over k of from[rows(n, k)], rounded once, to R,
/// Real or S; 0 if all choices were dropped.
template <class S, class R>
void sum_rows(HostQueue queue, Matrix<const S> from, Matrix<const std::int32_t> rows,
              Matrix<R> out);
template <class S, class R>
void sum_rows(CudaQueue queue, Matrix<const S, Cuda> from, Matrix<const std::int32_t, Cuda> rows,
              Matrix<R, Cuda> out);

}  // namespace shardstone
