// SPDX-License-Identifier: BSD-3-Clause
// Matrices on the GPU are converted between the compute type and the storage type.
#include "kernels/base/device/matrix_packs.hpp"
#include "kernels/transformer/narrow_rows.hpp"

namespace shardstone {

namespace {

using namespace device;

/// One of From and To is the compute type of the other, or both are the same.
template <class From, class To>
struct Converted {
    Matrix<const From, Cuda> from;
    Matrix<To, Cuda> to;

    template <int count>
    using Loaded = Pack<From, count>;

    template <int count>
    __device__ Loaded<count> load(std::int64_t row, std::int64_t column) const {
        return load_pack<From, count>(from.row(row) + column);
    }
    template <int count>
    __device__ void store(std::int64_t row, std::int64_t column,
                          const Loaded<count>& loaded) const {
        Pack<To, count> result;
#pragma unroll
        for (int i = 0; i < count; ++i) {
            result.element[i] = narrowed<To>(widened(loaded.element[i]));
        }
        store_pack(result, to.row(row) + column);
    }
};

/// A single row, as of all weights, in lines of `width`: blocks of many rows are busy with it.
template <class From, class To>
struct Folded {
    Converted<From, To> row;
    std::int64_t columns, width;

    template <int count>
    using Loaded = Pack<From, count>;

    template <int count>
    __device__ Loaded<count> load(std::int64_t line, std::int64_t column) const {
        const std::int64_t place = line * width + column;
        return place < columns ? row.template load<count>(0, place) : Loaded<count>{};
    }
    template <int count>
    __device__ void store(std::int64_t line, std::int64_t column,
                          const Loaded<count>& loaded) const {
        const std::int64_t place = line * width + column;
        if (place < columns) row.template store<count>(0, place, loaded);
    }
};

template <class From, class To>
void convert(CudaQueue queue, Matrix<const From, Cuda> from, Matrix<To, Cuda> to) {
    constexpr int count = std::min(pack_size<From>, pack_size<To>);
    if (from.rows == 1) {
        constexpr std::int64_t width = 32 * count;
        const bool packs =
            has_packs<count>(from) && has_packs<count>(to) && from.columns % count == 0;
        for_each_pack<count>(queue.stream(), Folded<From, To>{{from, to}, from.columns, width},
                             (from.columns + width - 1) / width, width, packs);
        return;
    }
    for_each_pack<count>(queue.stream(), Converted<From, To>{from, to}, from.rows, from.columns,
                         has_packs<count>(from) && has_packs<count>(to));
}

}  // namespace

template <class S>
void narrow_rows(CudaQueue queue, Matrix<const compute_t<S>, Cuda> from, Matrix<S, Cuda> to) {
    convert(queue, from, to);
}

template <class S>
void widen_rows(CudaQueue queue, Matrix<const S, Cuda> from, Matrix<compute_t<S>, Cuda> to) {
    convert(queue, from, to);
}

#define SHARDSTONE_INSTANTIATE(S)                                                            \
    template void narrow_rows(CudaQueue, Matrix<const compute_t<S>, Cuda>, Matrix<S, Cuda>); \
    template void widen_rows(CudaQueue, Matrix<const S, Cuda>, Matrix<compute_t<S>, Cuda>);
SHARDSTONE_INSTANTIATE(float)
SHARDSTONE_INSTANTIATE(bf16)
SHARDSTONE_INSTANTIATE(fp16)
#undef SHARDSTONE_INSTANTIATE

}  // namespace shardstone
