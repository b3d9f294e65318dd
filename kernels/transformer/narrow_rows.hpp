// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kernels/base/convert.hpp"
#include "kernels/tensor/for_each.hpp"
#include "kernels/tensor/matrix.hpp"

namespace shardstone {

/// to (N, C) = from (N, C) rounded to S: what a product reads of a tensor that is kept in Real,
/// such as the gradient of the residual stream. The two do not overlap.
template <class S>
void narrow_rows(Matrix<const compute_t<S>> from, Matrix<S> to) {
    for_each_row(from.rows, [=](std::int64_t r) { narrow(from.row(r), to.row(r), from.columns); });
}

/// The other way round, exactly.
template <class S>
void widen_rows(Matrix<const S> from, Matrix<compute_t<S>> to) {
    for_each_row(from.rows, [=](std::int64_t r) { widen(from.row(r), to.row(r), from.columns); });
}

}  // namespace shardstone
