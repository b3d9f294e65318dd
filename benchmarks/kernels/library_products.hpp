// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

namespace shardstone::benchmarks {

/// C (m, n) = A B over a depth of k, with either factor optionally transposed.
struct ProductShape {
    std::int64_t m, n, k;
    bool transpose_a = false, transpose_b = false;
};

/// For each library that can multiply in FP32, a function that computes all these products once.
std::vector<std::function<void()>> library_products(const std::vector<ProductShape>& shapes);

}  // namespace shardstone::benchmarks
