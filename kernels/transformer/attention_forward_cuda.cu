// SPDX-License-Identifier: BSD-3-Clause
// Causal attention on the GPU, forward: tiles of queries without the whole score matrix.
#include "kernels/transformer/attention.hpp"
#include "kernels/transformer/attention_forward_launch_cuda.hpp"

namespace shardstone {

template <class S>
void attention_forward(CudaQueue queue, const AttentionShape& shape, const S* qkv, S* out,
                       compute_t<S>* log_sum_exp, compute_t<S>*) {
    device::launch_forward<S, false>(queue, device::inputs_of(shape, qkv),
                                     device::rows_of(shape, out, shape.channels()),
                                     {log_sum_exp, shape.sequence});
}

template void attention_forward(CudaQueue, const AttentionShape&, const float*, float*, float*,
                                float*);
template void attention_forward(CudaQueue, const AttentionShape&, const bf16*, bf16*, float*,
                                float*);
template void attention_forward(CudaQueue, const AttentionShape&, const fp16*, fp16*, float*,
                                float*);

}  // namespace shardstone
