// SPDX-License-Identifier: BSD-3-Clause
// The gradients of LayerNorm's parameters on the GPU: column sums, both in one sweep.
#include "kernels/base/device/matrix_packs.hpp"
#include "kernels/transformer/column_sums_cuda.hpp"
#include "kernels/transformer/layernorm.hpp"

namespace shardstone {

namespace {

using namespace device;

template <class R>
struct ParameterGradients {
    static constexpr int sums = 2;
    Matrix<const R, Cuda> x, d_out;
    const float *mean, *rstd;

    template <int count>
    struct Loaded {
        Pack<R, count> x, d_out;
        float mean, rstd;
    };

    template <int count>
    __device__ Loaded<count> load(std::int64_t row, std::int64_t column) const {
        return {load_pack<R, count>(x.row(row) + column),
                load_pack<R, count>(d_out.row(row) + column), mean[row], rstd[row]};
    }
    template <int count>
    __device__ void add(const Loaded<count>& loaded, float (&sum)[2 * count]) const {
#pragma unroll
        for (int i = 0; i < count; ++i) {
            const float gradient = widened(loaded.d_out.element[i]);
            sum[i] += gradient * ((widened(loaded.x.element[i]) - loaded.mean) * loaded.rstd);
            sum[count + i] += gradient;
        }
    }
};

}  // namespace

template <class S, class R>
void layernorm_backward_parameters(CudaQueue queue, const LayernormSaved<S, R, Cuda>& saved,
                                   Matrix<const std::type_identity_t<R>, Cuda> d_out,
                                   compute_t<S>* d_weight, compute_t<S>* d_bias) {
    constexpr int count = pack_size<R>;
    add_column_sums<count>(
        queue, ParameterGradients<R>{saved.x, d_out, saved.mean, saved.rstd}, d_out.rows,
        d_out.columns, has_packs<count>(saved.x) && has_packs<count>(d_out), {{d_weight, d_bias}});
}

#define SHARDSTONE_INSTANTIATE(S, R)                   \
    template void layernorm_backward_parameters<S, R>( \
        CudaQueue, const LayernormSaved<S, R, Cuda>&, Matrix<const R, Cuda>, float*, float*);
SHARDSTONE_INSTANTIATE(float, float)
SHARDSTONE_INSTANTIATE(bf16, float)
SHARDSTONE_INSTANTIATE(fp16, float)
SHARDSTONE_INSTANTIATE(bf16, bf16)
#undef SHARDSTONE_INSTANTIATE

}  // namespace shardstone
