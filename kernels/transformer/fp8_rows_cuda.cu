// SPDX-License-Identifier: BSD-3-Clause
// Rounds rows to the scaled FP8 grid on the GPU, and finds their amax: a warp for each row.
#include "kernels/transformer/fp8_rows.hpp"
#include "kernels/transformer/fp8_rows_cuda.hpp"

namespace shardstone {

namespace {

using namespace device;
using namespace device::fp8_rows;

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
