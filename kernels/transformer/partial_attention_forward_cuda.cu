// SPDX-License-Identifier: BSD-3-Clause
// Attention over some of the keys on the GPU, merged by log-sum-exp, forward.
#include "kernels/transformer/attention_forward_launch_cuda.hpp"
#include "kernels/transformer/partial_attention.hpp"

namespace shardstone {

template <class S>
void partial_attention_forward(CudaQueue queue, const PartialAttentionShape& shape,
                               PieceRows<const S> q, PieceRows<const S> k, PieceRows<const S> v,
                               PieceRows<compute_t<S>> out, PieceNumbers<compute_t<S>> log_sum_exp,
                               compute_t<S>*) {
    device::launch_forward<S, true>(queue, device::inputs_of(shape, q, k, v), out, log_sum_exp);
}

#define SHARDSTONE_INSTANTIATE(S)                                                        \
    template void partial_attention_forward(                                             \
        CudaQueue, const PartialAttentionShape&, PieceRows<const S>, PieceRows<const S>, \
        PieceRows<const S>, PieceRows<float>, PieceNumbers<float>, float*);
SHARDSTONE_INSTANTIATE(float)
SHARDSTONE_INSTANTIATE(bf16)
SHARDSTONE_INSTANTIATE(fp16)
#undef SHARDSTONE_INSTANTIATE

}  // namespace shardstone
