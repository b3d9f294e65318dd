// SPDX-License-Identifier: BSD-3-Clause
// Rounds tensors to scaled FP8 and stores them as that: row by row, or transposed by tiles.
#include "kernels/base/error.hpp"
#include "kernels/transformer/fp8_rows.hpp"
#include "kernels/transformer/fp8_rows_cuda.hpp"

namespace shardstone {

namespace {

using namespace device;
using namespace device::fp8_rows;

/// A number's rounding, and its size for the amax.
template <class F>
struct Rounding {
    fp8_grid::Grid grid;
    float scale;

    __device__ F operator()(bf16 value, std::uint32_t& largest) const {
        const std::uint32_t word = word_of(value);
        largest = max(largest, word & fp8_grid::magnitude_bits);
        return F(fp8_grid::rounded(std::bit_cast<float>(word), grid) * scale);
    }
};

template <class F>
__global__ void store_rows(Matrix<const bf16, Cuda> from, Rounding<F> rounding, Matrix<F, Cuda> to,
                           std::int64_t packs, float* amax) {
    std::uint32_t largest = 0;
    for_each_row_of_warp(from.rows, [&](std::int64_t row) {
        F* const written = to.row(row);
        for_each_of_row(from.row(row), packs, from.columns,
                        [&](std::int64_t place, const auto& pack) {
                            constexpr int count = sizeof pack / sizeof(bf16);
                            Pack<F, count> result;
#pragma unroll
                            for (int i = 0; i < count; ++i) {
                                result.element[i] = rounding(pack.element[i], largest);
                            }
                            store_pack(result, written + place);
                        });
    });
    raise(largest, amax);
}

constexpr int tile = 64;
/// Of a tile's rows in shared memory: 17 words apart, so that a column lies in 32 banks.
constexpr int pitch = tile + 4;

template <class F>
__global__ void store_columns(Matrix<const bf16, Cuda> from, Rounding<F> rounding,
                              Matrix<F, Cuda> to, float* amax) {
    using Tile = std::uint8_t[tile][pitch];  // of F's bits: F's constructor sets them
    SHARDSTONE_SHARED(Tile, held);
    const int lane = static_cast<int>(threadIdx.x) % warp_size;
    const int warp = static_cast<int>(threadIdx.x) / warp_size;
    const auto first_column = static_cast<std::int64_t>(blockIdx.x) * tile;
    const auto first_row = static_cast<std::int64_t>(blockIdx.y) * tile;
    const auto rows = static_cast<int>(min(from.rows - first_row, std::int64_t{tile}));
    const auto columns = static_cast<int>(min(from.columns - first_column, std::int64_t{tile}));
    std::uint32_t largest = 0;
    for (int row = warp; row < rows; row += warps) {
        const bf16* const read = from.row(first_row + row) + first_column;
        for (int column = lane; column < columns; column += warp_size) {
            held[row][column] = rounding(read[column], largest).bits;
        }
    }
    __syncthreads();
    for (int column = warp; column < columns; column += warps) {
        F* const written = to.row(first_column + column) + first_row;
        for (int row = lane; row < rows; row += warp_size) written[row].bits = held[row][column];
    }
    raise(largest, amax);
}

template <class F>
bool has_packs_of(const Matrix<F, Cuda>& to) {
    return are_aligned(width, to.data, static_cast<std::size_t>(to.leading));
}

}  // namespace

template <class F>
void store_as_fp8(CudaQueue queue, Matrix<const bf16, Cuda> from, float scale, Matrix<F, Cuda> to,
                  float* amax) {
    SHARDSTONE_EXPECTS(from.rows == to.rows && from.columns == to.columns);
    if (from.rows == 0 || from.columns == 0) return;
    const std::int64_t packs = has_packs(from) && has_packs_of(to) ? from.columns / width : 0;
    launch(store_rows<F>, launch_of(from.rows), queue.stream(), from,
           Rounding<F>{fp8_grid::grid_of<F>(scale), scale}, to, packs, amax);
}

template <class F>
void store_transposed_as_fp8(CudaQueue queue, Matrix<const bf16, Cuda> from, float scale,
                             Matrix<F, Cuda> to, float* amax) {
    SHARDSTONE_EXPECTS(from.rows == to.columns && from.columns == to.rows);
    if (from.rows == 0 || from.columns == 0) return;
    const auto tiles = [](std::int64_t count) {
        return static_cast<unsigned>((count + tile - 1) / tile);
    };
    launch(store_columns<F>, {dim3(tiles(from.columns), tiles(from.rows)), dim3(threads)},
           queue.stream(), from, Rounding<F>{fp8_grid::grid_of<F>(scale), scale}, to, amax);
}

#define SHARDSTONE_INSTANTIATE(F)                                                           \
    template void store_as_fp8(CudaQueue, Matrix<const bf16, Cuda>, float, Matrix<F, Cuda>, \
                               float*);                                                     \
    template void store_transposed_as_fp8(CudaQueue, Matrix<const bf16, Cuda>, float,       \
                                          Matrix<F, Cuda>, float*);
SHARDSTONE_INSTANTIATE(fp8_e4m3)
SHARDSTONE_INSTANTIATE(fp8_e5m2)
#undef SHARDSTONE_INSTANTIATE

}  // namespace shardstone
