// SPDX-License-Identifier: BSD-3-Clause
// Sums and maxima over the threads of a warp or a block, in an order that depends on nothing else.
#pragma once

#include "kernels/base/device/language.hpp"

namespace shardstone::device {

inline constexpr unsigned whole_warp = 0xffffffffU;
inline constexpr int warp_size = 32;

struct Add {
    template <class T>
    __device__ T operator()(T a, T b) const {
        return a + b;
    }
};
struct Larger {
    template <class T>
    __device__ T operator()(T a, T b) const {
        return b > a ? b : a;
    }
};

/// The combination of the values of all lanes, the same in each: additions up to five deep.
template <class T, class Combine = Add>
__device__ inline T over_warp(T value, Combine combine = {}) {
#pragma unroll
    for (int distance = warp_size / 2; distance > 0; distance /= 2) {
        value = combine(value, __shfl_xor_sync(whole_warp, value, distance));
    }
    return value;
}

/// The same over a block of whole warps, 32 of them at most; `partial` holds 32 values that all its
/// threads share and that none reads or writes meanwhile. Another combination may use it at once.
template <class T, class Combine = Add>
__device__ inline T over_block(T value, T neutral, T* partial, Combine combine = {}) {
    const int lane = static_cast<int>(threadIdx.x) % warp_size;
    const int warp = static_cast<int>(threadIdx.x) / warp_size;
    const int warps = static_cast<int>(blockDim.x) / warp_size;
    value = over_warp(value, combine);
    if (lane == 0) partial[warp] = value;
    __syncthreads();
    value = over_warp(lane < warps ? partial[lane] : neutral, combine);
    __syncthreads();  // before `partial` is used again
    return value;
}

}  // namespace shardstone::device
