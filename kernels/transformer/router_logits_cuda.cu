// SPDX-License-Identifier: BSD-3-Clause
// The router's logits on the GPU: in FP32 by multiply-add, in an order that depends on the number
// of channels alone. A warp holds four rows by eight experts, its lanes neighbouring packs of
// channels.
#include "kernels/base/device/block_sums.hpp"
#include "kernels/base/device/language.hpp"
#include "kernels/transformer/column_packs_cuda.hpp"
#include "kernels/transformer/router.hpp"

namespace shardstone {

namespace {

using namespace device;

/// Some consecutive rows of a matrix: the first, and how far off the others are, in 32 bits, since
/// registers are what limits this kernel. Instead of rows past the end there is the last one again:
/// what is computed from it is not stored.
template <int count, class S>
struct Rows {
    const S* first;
    int offset[count];

    __device__ Rows(Matrix<const S, Cuda> of, std::int64_t begin) : first(of.row(begin)) {
#pragma unroll
        for (int i = 0; i < count; ++i) {
            const std::int64_t r = begin + i < of.rows ? i : of.rows - 1 - begin;
            offset[i] = static_cast<int>(r * of.leading);
        }
    }
    template <bool whole>
    __device__ auto load(int row, int c, int columns) const {
        return load_columns<whole, pack_size<S>>(first + offset[row], c, columns);
    }
};

constexpr int logits_warps = 8, logits_rows = 4, logits_experts = 8;

/// The sum over the warp of value i, in lane i; values are what all lanes have, 32 each. The halves
/// are constants, so that values stay in registers.
template <int half = warp_size / 2>
__device__ inline float sums_by_lane(float (&values)[warp_size]) {
    const bool upper = (threadIdx.x & half) != 0;
#pragma unroll
    for (int i = 0; i < half; ++i) {
        const float kept = upper ? values[i + half] : values[i];
        const float given = upper ? values[i] : values[i + half];
        values[i] = kept + __shfl_xor_sync(whole_warp, given, half);
    }
    if constexpr (half > 1) sums_by_lane<half / 2>(values);
    return values[0];
}

/// sums[r * logits_experts + e] of the lane's channels.
template <bool whole, class S>
__device__ inline void add_logits(const Rows<logits_rows, S>& rows,
                                  const Rows<logits_experts, S>& weights, int columns,
                                  float (&sums)[warp_size]) {
    constexpr int width = pack_size<S>, step = warp_size * width;
    const int own = static_cast<int>(threadIdx.x) % warp_size * width;
    Pack<S, width> next[logits_rows];
#pragma unroll
    for (int r = 0; r < logits_rows; ++r) next[r] = rows.template load<whole>(r, own, columns);
    for (int c = own; c < columns; c += step) {
        float x[logits_rows][width];
#pragma unroll
        for (int r = 0; r < logits_rows; ++r) {
#pragma unroll
            for (int i = 0; i < width; ++i) x[r][i] = widened(next[r].element[i]);
            next[r] = rows.template load<whole>(r, c + step, columns);
        }
#pragma unroll
        for (int e = 0; e < logits_experts; ++e) {
            const auto w = weights.template load<whole>(e, c, columns);
#pragma unroll
            for (int i = 0; i < width; ++i) {
                const float factor = widened(w.element[i]);
#pragma unroll
                for (int r = 0; r < logits_rows; ++r) {
                    float& sum = sums[r * logits_experts + e];
                    sum = fmaf(x[r][i], factor, sum);
                }
            }
        }
    }
}

template <bool whole, class S>
__global__ void __launch_bounds__(logits_warps* warp_size, whole ? 2 : 1)
    logits_of_rows(Matrix<const S, Cuda> x, Matrix<const S, Cuda> weight,
                   Matrix<float, Cuda> logits) {
    const int lane = static_cast<int>(threadIdx.x) % warp_size;
    const std::int64_t warp =
        static_cast<std::int64_t>(blockIdx.x) * logits_warps + threadIdx.x / warp_size;
    const std::int64_t first = warp * logits_rows;
    if (first >= x.rows) return;
    const Rows<logits_rows, S> rows(x, first);
    for (std::int64_t e = 0; e < weight.rows; e += logits_experts) {
        float sums[warp_size] = {};
        add_logits<whole>(rows, Rows<logits_experts, S>(weight, e),
                          static_cast<int>(weight.columns), sums);
        const float logit = sums_by_lane(sums);
        const std::int64_t row = first + lane / logits_experts, expert = e + lane % logits_experts;
        if (row < x.rows && expert < weight.rows) logits.row(row)[expert] = logit;
    }
}

}  // namespace

template <class S>
void router_logits(CudaQueue queue, Matrix<const S, Cuda> x, Matrix<const S, Cuda> weight,
                   Matrix<compute_t<S>, Cuda> logits) {
    if (x.rows == 0) return;
    const Launch as{dim3(parts(x.rows, logits_warps * logits_rows)),
                    dim3(logits_warps * warp_size)};
    constexpr int width = pack_size<S>;
    with_constant(has_whole_packs<width>(x) && has_whole_packs<width>(weight), [&](auto whole) {
        launch(logits_of_rows<whole.value, S>, as, queue.stream(), x, weight, logits);
    });
}

#define SHARDSTONE_INSTANTIATE(S)                                                        \
    template void router_logits(CudaQueue, Matrix<const S, Cuda>, Matrix<const S, Cuda>, \
                                Matrix<compute_t<S>, Cuda>);
SHARDSTONE_INSTANTIATE(float)
SHARDSTONE_INSTANTIATE(bf16)
SHARDSTONE_INSTANTIATE(fp16)
#undef SHARDSTONE_INSTANTIATE

}  // namespace shardstone
