// SPDX-License-Identifier: BSD-3-Clause
// A matrix product as cuBLASLt is asked for it, without the C++ types: what gemm() of a GPU calls.
#pragma once

#include <cstdint>
#include <type_traits>

#include "kernels/base/element_type.hpp"
#include "kernels/tensor/cuda.hpp"
#include "kernels/tensor/matrix.hpp"

namespace shardstone::detail {

/// A row-major matrix in the memory of the GPU.
template <class Address>
struct Operand {
    ElementType type = ElementType::fp32;
    Address data = nullptr;
    std::int64_t rows = 0, columns = 0, leading = 0;
    bool transposed = false;      ///< of a factor: the product is with its transpose
    const float* unit = nullptr;  ///< of FP8: in the GPU's memory, what numbers are multiples of
};

/// C = alpha A B + bias + beta C.
struct DeviceProduct {
    Operand<const void*> a, b;
    Operand<void*> c;
    float alpha = 1, beta = 0;
    const void* bias = nullptr;  ///< one number per column of C, or none
    ElementType bias_type = ElementType::fp32;
};

template <class T>
Operand<const void*> factor(const Matrix<const T, Cuda>& m, bool transposed) {
    return {element_traits<T>::type, m.data, m.rows, m.columns, m.leading, transposed};
}
template <class T>
Operand<void*> result(const Matrix<T, Cuda>& m) {
    return {element_traits<T>::type, m.data, m.rows, m.columns, m.leading};
}

/// Enqueues the product; throws Error that says which if the library has no way to do it. The way
/// to do it is asked for once per distinct product and kept.
void cublaslt_multiply(CudaQueue queue, const DeviceProduct& product);

/// Each row of c (m, n) += bias (n), in FP32.
template <class S>
void add_bias(CudaQueue queue, const S* bias, const Matrix<float, Cuda>& c);

}  // namespace shardstone::detail
