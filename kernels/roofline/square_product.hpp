// SPDX-License-Identifier: BSD-3-Clause
// A product to time on this rank's GPU. Only in programs built with CUDA.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <type_traits>
#include <vector>

#include "kernels/base/error.hpp"
#include "kernels/base/narrow_float.hpp"
#include "kernels/tensor/buffer.hpp"
#include "kernels/tensor/cuda.hpp"
#include "kernels/tensor/matrix.hpp"

namespace shardstone {

/// A GPU has computed wrong, which its message names by its address.
class WrongProduct : public Error {
  public:
    explicit WrongProduct(const std::string& what);
};

/// Throws WrongProduct where c, on this rank's GPU as a and b, is not A B^T, all (n, n), as well as
/// a sum in FP32 tells it, and where tf32() says so in TF32: 64 elements are held against FP64. S
/// is float, bf16 or fp16.
template <class S>
void require_sums_of_fp64(CudaQueue queue, std::int64_t n, const S* a, const S* b, const S* c);

/// C = A B^T, all (n, n), of random numbers in S, with sums in FP32. S is float, bf16, fp16 or,
/// where gpu_reads_fp8(), fp8_e4m3, whose C is in BF16.
///
/// A rate of wrong products is none. The first one is held against sums in FP64 in some elements
/// (but for FP8, whose sums the GPU may round to fewer bits than FP32 has); later ones have to
/// equal it in all bits, as the same algorithm makes them.
template <class S>
class SquareProduct {
  public:
    /// Has found the best algorithm, by multiplying once. Throws WrongProduct.
    explicit SquareProduct(std::int64_t n);
    /// Multiplies so many times; the seconds of each, on the GPU's clock. `meanwhile` as of
    /// device_times_s().
    std::vector<double> times_s(int products, const std::function<void()>& meanwhile = {});
    /// Throws WrongProduct if the last one differs from the first.
    void require_bits_of_first();

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
    Buffer<Out, Cuda> c_, first_;
    Buffer<float, Cuda> unit_;
    Buffer<std::int64_t, Cuda> differing_;
};

/// The n of a product worth timing: `largest`, or the first of 128, 256, ... of which two take
/// 5 ms, as on an emulated GPU. `two_products_s` tells what they take the host that waits for them.
std::int64_t rows_to_time(const std::function<double(std::int64_t)>& two_products_s,
                          std::int64_t largest);
/// The same of this rank's GPU.
template <class S>
std::int64_t rows_to_time(std::int64_t largest = 8192);

}  // namespace shardstone
