// SPDX-License-Identifier: BSD-3-Clause
// What kernels that round to FP8 have in common: rows by warps, in packs, and the amax of a block.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "kernels/base/device/block_sums.hpp"
#include "kernels/base/device/elements.hpp"
#include "kernels/tensor/cuda.hpp"
#include "kernels/tensor/matrix.hpp"
#include "kernels/transformer/fp8_grid.hpp"

namespace shardstone::device::fp8_rows {

constexpr int threads = 256, warps = threads / warp_size, width = pack_size<bf16>;

/// Calls f(place, pack) for the packs of a row, and what is behind them, one by one.
template <class F>
__device__ void for_each_of_row(const bf16* row, std::int64_t packs, std::int64_t columns,
                                const F& f) {
    constexpr int at_once = 4;
    const int lane = static_cast<int>(threadIdx.x) % warp_size;
    for (std::int64_t i = lane; i < packs; i += at_once * warp_size) {
        Pack<bf16, width> values[at_once] = {};
#pragma unroll
        for (int k = 0; k < at_once; ++k) {
            const std::int64_t pack = i + k * warp_size;
            if (pack < packs) values[k] = load_pack<bf16>(row + pack * width);
        }
#pragma unroll
        for (int k = 0; k < at_once; ++k) {
            const std::int64_t pack = i + k * warp_size;
            if (pack < packs) f(pack * width, values[k]);
        }
    }
    for (std::int64_t i = packs * width + lane; i < columns; i += warp_size) {
        f(i, load_pack<bf16, 1>(row + i));
    }
}

/// The rows of this warp.
template <class F>
__device__ void for_each_row_of_warp(std::int64_t rows, const F& f) {
    const auto step = static_cast<std::int64_t>(gridDim.x) * warps;
    for (auto row = static_cast<std::int64_t>(blockIdx.x) * warps + threadIdx.x / warp_size;
         row < rows; row += step) {
        f(row);
    }
}

/// Magnitudes are compared as integers, as which NaNs are the largest.
__device__ inline void raise(std::uint32_t largest, float* amax) {
    using OfWarps = std::uint32_t[warp_size];
    SHARDSTONE_SHARED(OfWarps, partial);
    largest = over_block(largest, std::uint32_t{0}, partial, Larger());
    if (threadIdx.x != 0) return;
    const auto bits = std::bit_cast<std::uint32_t>(fp8_grid::number_of(largest));
    atomicMax(reinterpret_cast<unsigned*>(amax), bits);
}

__device__ inline std::uint32_t word_of(bf16 value) {
    return std::uint32_t{value.bits} << 16;
}

template <class T>
bool has_packs(const Matrix<T, Cuda>& m) {
    return are_aligned(16, m.data, static_cast<std::size_t>(m.leading) * sizeof(T));
}

/// Blocks for so many rows, a warp for each.
inline Launch launch_of(std::int64_t rows) {
    constexpr std::int64_t most_blocks = 4096;
    return {dim3(static_cast<unsigned>(std::min((rows + warps - 1) / warps, most_blocks))),
            dim3(threads)};
}

}  // namespace shardstone::device::fp8_rows
