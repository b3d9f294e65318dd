// SPDX-License-Identifier: BSD-3-Clause
// How work is distributed over the threads of a grid.
#pragma once

#include <algorithm>

#include "kernels/base/device/language.hpp"

namespace shardstone::device {

inline constexpr int elementwise_threads = 256;

/// A grid for `count` independent pieces of work, one to a thread up to as many threads as fill any
/// GPU several times; for_each_of_grid() does the rest.
inline Launch elementwise(std::int64_t count) {
    constexpr std::int64_t most_blocks = 8192;
    const std::int64_t blocks = (count + elementwise_threads - 1) / elementwise_threads;
    return {dim3(static_cast<unsigned>(std::clamp<std::int64_t>(blocks, 1, most_blocks))),
            dim3(elementwise_threads)};
}

/// Calls f(i) for every i in [0, count) once, neighbouring ones by neighbouring threads.
template <class F>
__device__ inline void for_each_of_grid(std::int64_t count, const F& f) {
    const auto threads = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
    for (auto i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count;
         i += threads) {
        f(i);
    }
}

}  // namespace shardstone::device
