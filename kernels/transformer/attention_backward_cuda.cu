// SPDX-License-Identifier: BSD-3-Clause
// Gradients of causal attention on the GPU: a piece of all queries against all keys.
#include "kernels/transformer/attention.hpp"
#include "kernels/transformer/attention_gradients_launch_cuda.hpp"

namespace shardstone {

template <class S>
void attention_backward(CudaQueue queue, const AttentionShape& shape,
                        const AttentionSaved<S>& saved, const S* d_out, S* d_qkv,
                        compute_t<S>* scratch) {
    device::require_kernels(shape.head_size);
    const std::int64_t length = shape.sequence, channels = shape.channels();
    const PartialAttentionShape all{shape.batch, shape.heads, shape.head_size,
                                    length,      length,      true};
    const auto part = [=](auto* data, std::int64_t which) {
        return PieceRows{data + which * channels, 3 * channels, length * 3 * channels};
    };
    const auto of_heads = [=](const S* data) {
        return PieceRows<const S>{data, channels, length * channels};
    };
    attention_output_dots<S>(queue, all, of_heads(saved.out), of_heads(d_out), {scratch, length},
                             nullptr);
    device::run_attention_pass<S, false>(queue.stream(), {all,
                                                          part(saved.qkv, 0),
                                                          part(saved.qkv, 1),
                                                          part(saved.qkv, 2),
                                                          of_heads(d_out),
                                                          {saved.log_sum_exp, length},
                                                          {scratch, length},
                                                          part(d_qkv, 0),
                                                          part(d_qkv, 1),
                                                          part(d_qkv, 2),
                                                          {},
                                                          {}});
}

#define SHARDSTONE_INSTANTIATE(S)                                                                \
    template void attention_backward(CudaQueue, const AttentionShape&, const AttentionSaved<S>&, \
                                     const S*, S*, compute_t<S>*);
SHARDSTONE_INSTANTIATE(float)
SHARDSTONE_INSTANTIATE(bf16)
SHARDSTONE_INSTANTIATE(fp16)
#undef SHARDSTONE_INSTANTIATE

}  // namespace shardstone
