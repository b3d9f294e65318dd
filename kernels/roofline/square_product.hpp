// SPDX-License-Identifier: BSD-3-Clause
// A product to time on this rank's GPU. Only in programs built with CUDA.
#pragma once

#include <cstdint>
#include <functional>
#include <type_traits>
#include <vector>

#include "kernels/base/narrow_float.hpp"
#include "kernels/tensor/buffer.hpp"
#include "kernels/tensor/cuda.hpp"
#include "kernels/tensor/matrix.hpp"

namespace shardstone {

/// C = A B^T, all (n, n), of random numbers in S, with sums in FP32. S is float, bf16, fp16 or,
/// where gpu_reads_fp8(), fp8_e4m3, whose C is in BF16.
template <class S>
class SquareProduct {
  public:
    /// Has found the best algorithm, by multiplying once.
    explicit SquareProduct(std::int64_t n);
    /// Multiplies so many times; the seconds of each, on the GPU's clock.
    std::vector<double> times_s(int products);

  private:
    static constexpr bool is_fp8 = std::is_same_v<S, fp8_e4m3>;
    using Out = std::conditional_t<is_fp8, bf16, S>;

    void multiply();
    template <class T>
    Matrix<T, Cuda> square(Buffer<T, Cuda>& of) {
        return matrix<Cuda>(of.data(), n_, n_);
    }

    std::int64_t n_;
    CudaQueue queue_;
    Buffer<S, Cuda> a_, b_;
    Buffer<Out, Cuda> c_;
    Buffer<float, Cuda> unit_;
};

/// The n of a product worth timing: `largest`, or the first of 128, 256, ... of which two take
/// 5 ms, as on an emulated GPU. `two_products_s` tells what they take the host that waits for them.
std::int64_t rows_to_time(const std::function<double(std::int64_t)>& two_products_s,
                          std::int64_t largest);
/// The same of this rank's GPU.
template <class S>
std::int64_t rows_to_time(std::int64_t largest = 8192);

}  // namespace shardstone
