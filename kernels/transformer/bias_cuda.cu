// SPDX-License-Identifier: BSD-3-Clause
// The gradient of a bias on the GPU: column sums of the gradient behind it.
#include "kernels/base/device/matrix_packs.hpp"
#include "kernels/transformer/column_sums_cuda.hpp"
#include "kernels/transformer/linear.hpp"

namespace shardstone {

namespace {

using namespace device;

template <class S>
struct BiasGradient {
    static constexpr int sums = 1;
    Matrix<const S, Cuda> d_out;

    template <int count>
    using Loaded = Pack<S, count>;

    template <int count>
    __device__ Loaded<count> load(std::int64_t row, std::int64_t column) const {
        return load_pack<S, count>(d_out.row(row) + column);
    }
    template <int count>
    __device__ void add(const Loaded<count>& loaded, float (&sum)[count]) const {
#pragma unroll
        for (int i = 0; i < count; ++i) sum[i] += widened(loaded.element[i]);
    }
};

}  // namespace

template <class S>
void bias_backward(CudaQueue queue, Matrix<const S, Cuda> d_out, compute_t<S>* d_bias) {
    constexpr int count = pack_size<S>;
    add_column_sums<count>(queue, BiasGradient<S>{d_out}, d_out.rows, d_out.columns,
                           has_packs<count>(d_out), {{d_bias}});
}

template void bias_backward(CudaQueue, Matrix<const float, Cuda>, float*);
template void bias_backward(CudaQueue, Matrix<const bf16, Cuda>, float*);
template void bias_backward(CudaQueue, Matrix<const fp16, Cuda>, float*);

}  // namespace shardstone
