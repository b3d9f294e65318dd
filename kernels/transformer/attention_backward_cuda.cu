// SPDX-License-Identifier: BSD-3-Clause
// Gradients of causal attention on the GPU: a piece of all queries against all keys.
#include "kernels/transformer/attention.hpp"
#include "kernels/transformer/attention_gradients_launch_cuda.hpp"

namespace shardstone {

template <class S>
void attention_backward(CudaQueue queue, const AttentionShape& shape,
                        const AttentionSaved<S>& saved, const S* d_out, S* d_qkv,
                        compute_t<S>* scratch) {
    const std::int64_t length = shape.sequence, channels = shape.channels();
    const auto part = [&](std::int64_t which) {
        return device::rows_of(shape, d_qkv + which * channels, 3 * channels);
    };
    device::AttentionPass<S, false> pass(device::inputs_of(shape, saved.qkv));
    pass.out = device::rows_of(shape, saved.out, channels);
    pass.d_out = device::rows_of(shape, d_out, channels);
    pass.log_sum_exp = {saved.log_sum_exp, length};
    pass.dots = {scratch, length};
    pass.d_q = part(0), pass.d_k = part(1), pass.d_v = part(2);
    device::padded_head_size(pass.in.head_size);  // refuses large heads before anything is enqueued
    if (!device::fits_matrix_unit(pass)) {
        const PartialAttentionShape all{shape.batch, shape.heads, shape.head_size,
                                        length,      length,      true};
        attention_output_dots<S>(queue, all, pass.out, pass.d_out, pass.dots, nullptr);
    }
    device::run_attention_pass(queue, pass);
}

#define SHARDSTONE_INSTANTIATE(S)                                                                \
    template void attention_backward(CudaQueue, const AttentionShape&, const AttentionSaved<S>&, \
                                     const S*, S*, compute_t<S>*);
SHARDSTONE_INSTANTIATE(float)
SHARDSTONE_INSTANTIATE(bf16)
SHARDSTONE_INSTANTIATE(fp16)
#undef SHARDSTONE_INSTANTIATE

}  // namespace shardstone
