// SPDX-License-Identifier: BSD-3-Clause
// Rounds rows to the scaled FP8 grid on the GPU, and finds their amax: a warp for each row.
#include "kernels/base/device/block_sums.hpp"
#include "kernels/base/device/elements.hpp"
#include "kernels/transformer/fp8_grid.hpp"
#include "kernels/transformer/fp8_rows.hpp"

namespace shardstone {

namespace {

using namespace device;

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
__device__ void raise(std::uint32_t largest, float* amax) {
    using OfWarps = std::uint32_t[warp_size];
    SHARDSTONE_SHARED(OfWarps, partial);
    largest = over_block(largest, std::uint32_t{0}, partial, Larger());
    if (threadIdx.x != 0) return;
    const auto bits = std::bit_cast<std::uint32_t>(fp8_grid::number_of(largest));
    atomicMax(reinterpret_cast<unsigned*>(amax), bits);
}

__device__ std::uint32_t word_of(bf16 value) {
    return std::uint32_t{value.bits} << 16;
}

__global__ void round_rows(Matrix<const bf16, Cuda> from, fp8_grid::Grid grid,
                           Matrix<bf16, Cuda> to, std::int64_t packs, float* amax) {
    std::uint32_t largest = 0;
    for_each_row_of_warp(from.rows, [&](std::int64_t row) {
        bf16* const written = to.row(row);
        for_each_of_row(from.row(row), packs, from.columns, [&](std::int64_t place, auto pack) {
#pragma unroll
            for (bf16& value : pack.element) {
                const std::uint32_t word = word_of(value);
                largest = max(largest, word & fp8_grid::magnitude_bits);
                const float number = fp8_grid::rounded(std::bit_cast<float>(word), grid);
                value.bits = static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(number) >> 16);
            }
            store_pack(pack, written + place);
        });
    });
    raise(largest, amax);
}

__global__ void find_largest(Matrix<const bf16, Cuda> from, std::int64_t packs, float* amax) {
    std::uint32_t largest = 0;
    for_each_row_of_warp(from.rows, [&](std::int64_t row) {
        for_each_of_row(from.row(row), packs, from.columns, [&](std::int64_t, const auto& pack) {
#pragma unroll
            for (const bf16 value : pack.element) {
                largest = max(largest, word_of(value) & fp8_grid::magnitude_bits);
            }
        });
    });
    raise(largest, amax);
}

template <class T>
bool has_packs(const Matrix<T, Cuda>& m) {
    return are_aligned(16, m.data, static_cast<std::size_t>(m.leading) * sizeof(T));
}

Launch launch_of(std::int64_t rows) {
    constexpr std::int64_t most_blocks = 4096;
    return {dim3(static_cast<unsigned>(std::min((rows + warps - 1) / warps, most_blocks))),
            dim3(threads)};
}

}  // namespace

template <class F>
void round_to_fp8(CudaQueue queue, Matrix<const bf16, Cuda> from, float scale,
                  Matrix<bf16, Cuda> to, float* amax) {
    SHARDSTONE_EXPECTS(from.rows == to.rows && from.columns == to.columns);
    if (from.rows == 0 || from.columns == 0) return;
    const std::int64_t packs = has_packs(from) && has_packs(to) ? from.columns / width : 0;
    launch(round_rows, launch_of(from.rows), queue.stream(), from, fp8_grid::grid_of<F>(scale), to,
           packs, amax);
}

void largest_magnitude(CudaQueue queue, Matrix<const bf16, Cuda> from, float* amax) {
    if (from.rows == 0 || from.columns == 0) return;
    const std::int64_t packs = has_packs(from) ? from.columns / width : 0;
    launch(find_largest, launch_of(from.rows), queue.stream(), from, packs, amax);
}

template void round_to_fp8<fp8_e4m3>(CudaQueue, Matrix<const bf16, Cuda>, float, Matrix<bf16, Cuda>,
                                     float*);
template void round_to_fp8<fp8_e5m2>(CudaQueue, Matrix<const bf16, Cuda>, float, Matrix<bf16, Cuda>,
                                     float*);

}  // namespace shardstone
