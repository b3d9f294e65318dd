// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kernels/base/element_type.hpp"
#include "kernels/tensor/cuda.hpp"
#include "kernels/tensor/host.hpp"
#include "kernels/tensor/matrix.hpp"

namespace shardstone {

/// to (N, C) = from (N, C) rounded to S: the input of a product from a tensor kept in Real, such as
/// the gradient of the residual stream. The two do not overlap.
template <class S>
void narrow_rows(HostQueue queue, Matrix<const compute_t<S>> from, Matrix<S> to);
template <class S>
void narrow_rows(CudaQueue queue, Matrix<const compute_t<S>, Cuda> from, Matrix<S, Cuda> to);

/// The reverse, exact.
template <class S>
void widen_rows(HostQueue queue, Matrix<const S> from, Matrix<compute_t<S>> to);
template <class S>
void widen_rows(CudaQueue queue, Matrix<const S, Cuda> from, Matrix<compute_t<S>, Cuda> to);

}  // namespace shardstone
