// SPDX-License-Identifier: BSD-3-Clause
// Converts matrices row by row between the compute type and the storage type.
#include "kernels/transformer/narrow_rows.hpp"

#include "kernels/base/convert.hpp"
#include "kernels/tensor/for_each.hpp"

namespace shardstone {

template <class S>
void narrow_rows(HostQueue queue, Matrix<const compute_t<S>> from, Matrix<S> to) {
    for_each_row(queue, from.rows,
                 [=](std::int64_t r) { narrow(from.row(r), to.row(r), from.columns); });
}

template <class S>
void widen_rows(HostQueue queue, Matrix<const S> from, Matrix<compute_t<S>> to) {
    for_each_row(queue, from.rows,
                 [=](std::int64_t r) { widen(from.row(r), to.row(r), from.columns); });
}

#define SHARDSTONE_INSTANTIATE(S)                                                \
    template void narrow_rows(HostQueue, Matrix<const compute_t<S>>, Matrix<S>); \
    template void widen_rows(HostQueue, Matrix<const S>, Matrix<compute_t<S>>);
SHARDSTONE_INSTANTIATE(float)
SHARDSTONE_INSTANTIATE(double)
SHARDSTONE_INSTANTIATE(bf16)
SHARDSTONE_INSTANTIATE(fp16)
#undef SHARDSTONE_INSTANTIATE

}  // namespace shardstone
