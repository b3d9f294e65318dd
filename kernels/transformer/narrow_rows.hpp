// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kernels/base/element_type.hpp"
#include "kernels/tensor/host.hpp"
#include "kernels/tensor/matrix.hpp"

namespace shardstone {

/// to (N, C) = from (N, C) rounded to S: the input of a product from a tensor kept in Real, such as
/// the gradient of the residual stream. The two do not overlap.
template <class S>
void narrow_rows(HostQueue queue, Matrix<const compute_t<S>> from, Matrix<S> to);

/// The reverse, exact.
template <class S>
void widen_rows(HostQueue queue, Matrix<const S> from, Matrix<compute_t<S>> to);

}  // namespace shardstone
