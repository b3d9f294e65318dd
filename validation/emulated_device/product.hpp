// SPDX-License-Identifier: BSD-3-Clause
// What the double of cuBLASLt multiplies.
#pragma once

#include <cublasLt.h>

#include <cstddef>
#include <cstdint>

namespace shardstone::emulated {

/// A product D = A B + C of column-major matrices as an algorithm for it knows it, without
/// addresses.
struct Problem {
    std::int64_t m, n, k, leading_a, leading_b, leading_d;
    cudaDataType a, b, d;
    std::int32_t bias;
    cublasComputeType_t compute;
    std::int32_t transpose_a, transpose_b;
    std::uint32_t epilogue;
    bool operator==(const Problem&) const = default;
    /// By its size and types; even a small one takes as long as other work.
    double duration_s() const;
};

bool is_fp8(cudaDataType type);
std::int64_t size_of(cudaDataType type);

/// A product with its addresses, which are of the device's memory or nullptr.
struct Product {
    Problem problem;
    float alpha, beta;
    const void *a, *b, *c, *bias;
    const float *scale_a, *scale_b;
    void *d, *workspace;
    std::size_t workspace_bytes;

    /// Summed in FP32, in order of k, and rounded once; what is in the workspace is lost.
    void multiply() const;
};

}  // namespace shardstone::emulated
