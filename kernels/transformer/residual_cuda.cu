// SPDX-License-Identifier: BSD-3-Clause
// Adds a branch's output and the bias of its projection to the residual stream in one sweep on the
// GPU: the same two additions as on the host, hence the same bits.
#include "kernels/base/device/matrix_packs.hpp"
#include "kernels/transformer/residual.hpp"

namespace shardstone {

namespace {

using namespace device;

template <class S, class R>
struct BiasAndResidual {
    Matrix<const R, Cuda> residual, branch;
    const S* bias;
    Matrix<R, Cuda> out;

    template <int count>
    struct Loaded {
        Pack<R, count> past, from;
        Pack<S, count> bias;
    };

    template <int count>
    __device__ Loaded<count> load(std::int64_t row, std::int64_t column) const {
        Loaded<count> loaded{};
        loaded.past = load_pack<R, count>(residual.row(row) + column);
        loaded.from = load_pack<R, count>(branch.row(row) + column);
        if (bias != nullptr) loaded.bias = load_pack<S, count>(bias + column);
        return loaded;
    }
    template <int count>
    __device__ void store(std::int64_t row, std::int64_t column,
                          const Loaded<count>& loaded) const {
        Pack<R, count> result;
#pragma unroll
        for (int i = 0; i < count; ++i) {
            auto added = widened(loaded.from.element[i]);
            if (bias != nullptr) added += widened(loaded.bias.element[i]);
            result.element[i] = narrowed<R>(widened(loaded.past.element[i]) + added);
        }
        store_pack(result, out.row(row) + column);
    }
};

}  // namespace

template <class S, class R>
void bias_residual_forward(CudaQueue queue, Matrix<const std::type_identity_t<R>, Cuda> residual,
                           Matrix<const std::type_identity_t<R>, Cuda> branch, const S* bias,
                           Matrix<std::type_identity_t<R>, Cuda> out) {
    constexpr int count = pack_size<R>;
    for_each_pack<count>(queue.stream(), BiasAndResidual<S, R>{residual, branch, bias, out},
                         out.rows, out.columns,
                         has_packs<count>(residual) && has_packs<count>(branch) &&
                             has_packs<count>(out) && are_aligned(count * sizeof(S), bias));
}

#define SHARDSTONE_INSTANTIATE(S, R)                                            \
    template void bias_residual_forward<S, R>(CudaQueue, Matrix<const R, Cuda>, \
                                              Matrix<const R, Cuda>, const S*, Matrix<R, Cuda>);
SHARDSTONE_INSTANTIATE(float, float)
SHARDSTONE_INSTANTIATE(bf16, float)
SHARDSTONE_INSTANTIATE(fp16, float)
SHARDSTONE_INSTANTIATE(bf16, bf16)
#undef SHARDSTONE_INSTANTIATE

}  // namespace shardstone
