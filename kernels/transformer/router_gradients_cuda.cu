// SPDX-License-Identifier: BSD-3-Clause
// Gradients through the router's product on the GPU, in FP32 by multiply-add: of positions in the
// host's order, of weights in one that depends on the number of rows alone.
#include "kernels/base/device/block_sums.hpp"
#include "kernels/base/device/language.hpp"
#include "kernels/transformer/column_packs_cuda.hpp"
#include "kernels/transformer/router.hpp"

namespace shardstone {

namespace {

using namespace device;

// Gradient of positions. A thread has eight rows by four columns; the factors of a block's 32 rows
// are in shared memory, some experts at a time.

constexpr int input_width = 4, input_rows = 8, input_groups = 4, input_lanes = 64;
constexpr int block_rows = input_groups * input_rows, staged_experts = 32;

struct StagedFactors {
    alignas(16) float of[staged_experts][block_rows + 4];  // four more: fewer bank conflicts
};

__device__ inline void stage_factors(Matrix<const float, Cuda> d_logits, std::int64_t first_row,
                                     std::int64_t first_expert, StagedFactors& staged) {
    for (int i = static_cast<int>(threadIdx.x); i < block_rows * staged_experts;
         i += input_groups * input_lanes) {
        const std::int64_t row = first_row + i / staged_experts;
        const std::int64_t e = first_expert + i % staged_experts;
        const bool is_there = row < d_logits.rows && e < d_logits.columns;
        staged.of[i % staged_experts][i / staged_experts] = is_there ? d_logits.row(row)[e] : 0.0F;
    }
}

/// d_x (rows from `first`, columns from c) += sums.
template <bool whole, class R>
__device__ inline void add_to_rows(const float (&sums)[input_rows][input_width], std::int64_t first,
                                   std::int64_t c, Matrix<R, Cuda> d_x) {
    Pack<R, input_width> packs[input_rows];
#pragma unroll
    for (int r = 0; r < input_rows; ++r) {
        if (first + r >= d_x.rows) continue;
        packs[r] = load_columns<whole, input_width>(static_cast<const R*>(d_x.row(first + r)), c,
                                                    d_x.columns);
    }
#pragma unroll
    for (int r = 0; r < input_rows; ++r) {
        if (first + r >= d_x.rows) continue;
#pragma unroll
        for (int i = 0; i < input_width; ++i) {
            packs[r].element[i] = narrowed<R>(widened(packs[r].element[i]) + sums[r][i]);
        }
        store_columns<whole, input_width>(packs[r], d_x.row(first + r), c, d_x.columns);
    }
}

template <bool whole, class S, class R>
__global__ void __launch_bounds__(input_groups* input_lanes)
    input_gradient(Matrix<const float, Cuda> d_logits, Matrix<const S, Cuda> weight,
                   Matrix<R, Cuda> d_x) {
    SHARDSTONE_SHARED(StagedFactors, staged);
    const std::int64_t first_row = static_cast<std::int64_t>(blockIdx.x) * block_rows;
    const int own_first = static_cast<int>(threadIdx.x) / input_lanes * input_rows;
    const std::int64_t lane = threadIdx.x % input_lanes;
    const std::int64_t c =
        (blockIdx.y * static_cast<std::int64_t>(input_lanes) + lane) * input_width;
    float sums[input_rows][input_width] = {};
    for (std::int64_t e = 0; e < weight.rows; e += staged_experts) {
        stage_factors(d_logits, first_row, e, staged);
        __syncthreads();
        const int count =
            static_cast<int>(weight.rows - e < staged_experts ? weight.rows - e : staged_experts);
#pragma unroll 4
        for (int i = 0; i < count; ++i) {
            const auto w = load_columns<whole, input_width>(weight.row(e + i), c, weight.columns);
            const float* const factors = &staged.of[i][own_first];
#pragma unroll
            for (int r = 0; r < input_rows; r += 4) {
                const auto four = load_pack<float, 4>(factors + r);
#pragma unroll
                for (int j = 0; j < 4 * input_width; ++j) {
                    float& sum = sums[r + j / input_width][j % input_width];
                    sum = fmaf(four.element[j / input_width], widened(w.element[j % input_width]),
                               sum);
                }
            }
        }
        __syncthreads();  // before they are staged again
    }
    add_to_rows<whole>(sums, first_row + own_first, c, d_x);
}

// Gradient of weights. A block has sixteen columns and eight experts, and all rows: each of its
// threads four columns of every 128th row.

constexpr int weight_width = 4, weight_columns = 16, weight_experts = 8, weight_warps = 16;
constexpr int weight_lanes = weight_columns / weight_width;
constexpr int weight_rows = weight_warps * warp_size / weight_lanes;  // at a time

using WeightSums = float[weight_experts][weight_width];

template <bool whole, class S>
__device__ inline void add_weight_gradients(Matrix<const float, Cuda> d_logits,
                                            Matrix<const S, Cuda> x, std::int64_t first_expert,
                                            std::int64_t c, WeightSums& sums) {
#pragma unroll 4
    for (std::int64_t r = threadIdx.x / weight_lanes; r < x.rows; r += weight_rows) {
        const auto pack = load_columns<whole, weight_width>(x.row(r), c, x.columns);
        float factors[weight_experts];
#pragma unroll
        for (int e = 0; e < weight_experts; e += 4) {
            const auto four =
                load_columns<whole, 4>(d_logits.row(r), first_expert + e, d_logits.columns);
#pragma unroll
            for (int i = 0; i < 4; ++i) factors[e + i] = four.element[i];
        }
#pragma unroll
        for (int i = 0; i < weight_width; ++i) {
            const float value = widened(pack.element[i]);
#pragma unroll
            for (int e = 0; e < weight_experts; ++e) {
                sums[e][i] = fmaf(factors[e], value, sums[e][i]);
            }
        }
    }
}

struct WarpWeightSums {
    float of[weight_warps][weight_experts][weight_columns];
};

/// The sums of the threads that have the same columns, added to the gradients.
__device__ inline void add_over_block(WeightSums& sums, std::int64_t first_expert,
                                      std::int64_t first_column, Matrix<float, Cuda> d_weight) {
    SHARDSTONE_SHARED(WarpWeightSums, shared);
    const int thread = static_cast<int>(threadIdx.x);
    const int warp = thread / warp_size, lane = thread % warp_size;
#pragma unroll
    for (int i = 0; i < weight_experts * weight_width; ++i) {
        float& sum = sums[i / weight_width][i % weight_width];
#pragma unroll
        for (int distance = weight_lanes; distance < warp_size; distance *= 2) {
            sum += __shfl_xor_sync(whole_warp, sum, distance);
        }
        if (lane < weight_lanes) {
            shared.of[warp][i / weight_width][lane * weight_width + i % weight_width] = sum;
        }
    }
    __syncthreads();
    const std::int64_t e = first_expert + thread / weight_columns;
    const std::int64_t c = first_column + thread % weight_columns;
    if (thread >= weight_experts * weight_columns || e >= d_weight.rows || c >= d_weight.columns) {
        return;
    }
    float sum = 0.0F;
    for (int w = 0; w < weight_warps; ++w) {
        sum += shared.of[w][thread / weight_columns][thread % weight_columns];
    }
    d_weight.row(e)[c] += sum;
}

template <bool whole, class S>
__global__ void __launch_bounds__(weight_warps* warp_size)
    weight_gradient(Matrix<const float, Cuda> d_logits, Matrix<const S, Cuda> x,
                    Matrix<float, Cuda> d_weight) {
    const std::int64_t first_expert = static_cast<std::int64_t>(blockIdx.y) * weight_experts;
    const std::int64_t first_column = static_cast<std::int64_t>(blockIdx.x) * weight_columns;
    const std::int64_t c = first_column + threadIdx.x % weight_lanes * weight_width;
    WeightSums sums = {};
    add_weight_gradients<whole>(d_logits, x, first_expert, c, sums);
    add_over_block(sums, first_expert, first_column, d_weight);
}

}  // namespace

template <class S, class R>
void router_backward_input(CudaQueue queue, Matrix<const compute_t<S>, Cuda> d_logits,
                           Matrix<const S, Cuda> weight, Matrix<R, Cuda> d_x) {
    if (d_x.rows == 0) return;
    const Launch as{
        dim3(parts(d_x.rows, block_rows), parts(d_x.columns, input_lanes * input_width)),
        dim3(input_groups * input_lanes)};
    with_constant(
        has_whole_packs<input_width>(weight) && has_whole_packs<input_width>(d_x), [&](auto whole) {
            launch(input_gradient<whole.value, S, R>, as, queue.stream(), d_logits, weight, d_x);
        });
}

template <class S>
void router_backward_weight(CudaQueue queue, Matrix<const compute_t<S>, Cuda> d_logits,
                            Matrix<const S, Cuda> x, Matrix<compute_t<S>, Cuda> d_weight) {
    if (x.rows == 0) return;
    const Launch as{dim3(parts(x.columns, weight_columns), parts(d_weight.rows, weight_experts)),
                    dim3(weight_warps * warp_size)};
    with_constant(
        has_whole_packs<weight_width>(x) && has_whole_packs<4>(d_logits), [&](auto whole) {
            launch(weight_gradient<whole.value, S>, as, queue.stream(), d_logits, x, d_weight);
        });
}

#define SHARDSTONE_INSTANTIATE(S)                                                     \
    template void router_backward_weight(CudaQueue, Matrix<const compute_t<S>, Cuda>, \
                                         Matrix<const S, Cuda>, Matrix<compute_t<S>, Cuda>);
SHARDSTONE_INSTANTIATE(float)
SHARDSTONE_INSTANTIATE(bf16)
SHARDSTONE_INSTANTIATE(fp16)
#undef SHARDSTONE_INSTANTIATE

#define SHARDSTONE_INSTANTIATE(S, R)                                                       \
    template void router_backward_input<S, R>(CudaQueue, Matrix<const compute_t<S>, Cuda>, \
                                              Matrix<const S, Cuda>, Matrix<R, Cuda>);
SHARDSTONE_INSTANTIATE(float, float)
SHARDSTONE_INSTANTIATE(bf16, float)
SHARDSTONE_INSTANTIATE(fp16, float)
SHARDSTONE_INSTANTIATE(bf16, bf16)
#undef SHARDSTONE_INSTANTIATE

}  // namespace shardstone
