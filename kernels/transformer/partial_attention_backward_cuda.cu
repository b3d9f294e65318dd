// SPDX-License-Identifier: BSD-3-Clause
// Gradients of attention over some of the keys on the GPU, and the products of outputs and their
// gradients.
#include "kernels/base/device/block_sums.hpp"
#include "kernels/transformer/attention_gradients_launch_cuda.hpp"

namespace shardstone {

namespace {

using namespace device;

// Eight neighbouring lanes for the channels of a query's head.
constexpr int dot_threads = 256, dot_lanes = 8, dots_of_block = dot_threads / dot_lanes;
constexpr int dot_pack = 8;  // channels that a lane takes at a time

/// The next channels of the `count` that are left: zeros beyond them.
template <bool in_packs, class S>
__device__ void load_channels(const S* from, int count, float (&to)[dot_pack]) {
#pragma unroll
    for (int i = 0; i < dot_pack; i += pack_size<S>) {
        Pack<S, pack_size<S>> pack{};
        if constexpr (in_packs) {
            pack = load_pack(from + i);
        } else {
            for (int j = 0; j < pack_size<S>; ++j) {
                if (i + j < count) pack.element[j] = from[i + j];
            }
        }
#pragma unroll
        for (int j = 0; j < pack_size<S>; ++j) to[i + j] = widened(pack.element[j]);
    }
}

template <class S, bool in_packs>
__global__ void __launch_bounds__(dot_threads)
    output_dots(PartialAttentionShape shape, PieceRows<const S> out, PieceRows<const S> d_out,
                PieceNumbers<float> dots) {
    const auto& [batch, heads, head_size, queries, keys, causal] = shape;
    const std::int64_t number =
        static_cast<std::int64_t>(blockIdx.x) * dots_of_block + threadIdx.x / dot_lanes;
    const bool there = number < batch * queries * heads;
    const std::int64_t query = number / heads % queries;
    const auto head = static_cast<int>(number % heads);
    const std::int64_t sequence = there ? number / heads / queries : 0;
    const auto rows_of_head = [&](const PieceRows<const S>& rows) {
        return rows.data + sequence * rows.per_sequence + head * head_size + query * rows.leading;
    };
    const S *const a = rows_of_head(out), *const b = rows_of_head(d_out);
    float sum = 0.0F;
    const int lane = static_cast<int>(threadIdx.x) % dot_lanes;
    for (int c = lane * dot_pack; there && c < head_size; c += dot_lanes * dot_pack) {
        float of_a[dot_pack], of_b[dot_pack];
        load_channels<in_packs>(a + c, static_cast<int>(head_size) - c, of_a);
        load_channels<in_packs>(b + c, static_cast<int>(head_size) - c, of_b);
#pragma unroll
        for (int i = 0; i < dot_pack; ++i) sum = fmaf(of_a[i], of_b[i], sum);
    }
#pragma unroll
    for (int distance = dot_lanes / 2; distance > 0; distance /= 2) {
        sum += __shfl_xor_sync(whole_warp, sum, distance);
    }
    if (there && lane == 0) dots.data[(sequence * heads + head) * dots.per_head + query] = sum;
}

}  // namespace

template <class S>
void attention_output_dots(CudaQueue queue, const PartialAttentionShape& shape,
                           PieceRows<const S> out, PieceRows<const S> d_out,
                           PieceNumbers<compute_t<S>> dots, compute_t<S>*) {
    const std::int64_t count = shape.batch * shape.queries * shape.heads;
    if (count == 0) return;
    const auto blocks = static_cast<unsigned>((count + dots_of_block - 1) / dots_of_block);
    const bool in_packs =
        shape.head_size % dot_pack == 0 && are_aligned(16, out) && are_aligned(16, d_out);
    launch(in_packs ? output_dots<S, true> : output_dots<S, false>,
           {dim3(blocks), dim3(dot_threads)}, queue.stream(), shape, out, d_out, dots);
}

template <class S>
void partial_attention_backward(CudaQueue queue, const PartialAttentionShape& shape,
                                const PartialAttentionGradients<S>& tensors, compute_t<S>*) {
    AttentionPass<S, true> pass(inputs_of(shape, tensors.q, tensors.k, tensors.v));
    pass.d_out = tensors.d_out;
    pass.log_sum_exp = tensors.log_sum_exp;
    pass.dots = tensors.dots;
    pass.d_q = tensors.d_q, pass.d_k = tensors.d_k, pass.d_v = tensors.d_v;
    run_attention_pass(queue, pass);
}

#define SHARDSTONE_INSTANTIATE(S)                                                     \
    template void attention_output_dots(CudaQueue, const PartialAttentionShape&,      \
                                        PieceRows<const S>, PieceRows<const S>,       \
                                        PieceNumbers<compute_t<S>>, compute_t<S>*);   \
    template void partial_attention_backward(CudaQueue, const PartialAttentionShape&, \
                                             const PartialAttentionGradients<S>&, compute_t<S>*);
SHARDSTONE_INSTANTIATE(float)
SHARDSTONE_INSTANTIATE(bf16)
SHARDSTONE_INSTANTIATE(fp16)
#undef SHARDSTONE_INSTANTIATE

}  // namespace shardstone
