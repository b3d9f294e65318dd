// SPDX-License-Identifier: BSD-3-Clause
// A narrow bias is added to a product kept in FP32, which cuBLASLt cannot do: there it has to be in
// the type of the product. No model asks for it, so nothing is done about its speed.
#include "kernels/base/device/elements.hpp"
#include "kernels/base/device/grid.hpp"
#include "kernels/gemm/cublaslt_cuda.hpp"

namespace shardstone::detail {

namespace {

using namespace device;

template <class S>
__global__ void add(const S* bias, Matrix<float, Cuda> c) {
    for_each_of_grid(c.rows * c.columns, [=](std::int64_t i) {
        const std::int64_t row = i / c.columns, column = i % c.columns;
        c.data[row * c.leading + column] += widened(bias[column]);
    });
}

}  // namespace

template <class S>
void add_bias(CudaQueue queue, const S* bias, const Matrix<float, Cuda>& c) {
    const std::int64_t count = c.rows * c.columns;
    if (count > 0) launch(add<S>, elementwise(count), queue.stream(), bias, c);
}

template void add_bias(CudaQueue, const bf16*, const Matrix<float, Cuda>&);
template void add_bias(CudaQueue, const fp16*, const Matrix<float, Cuda>&);

}  // namespace shardstone::detail
