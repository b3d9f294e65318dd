// SPDX-License-Identifier: BSD-3-Clause
// Emulates FP8 in bf16: rounds rows to the scaled FP8 grid, finds their amax and picks the scale.
#include "kernels/transformer/fp8_rows.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "kernels/base/error.hpp"
#include "kernels/tensor/row_function.hpp"
#include "kernels/transformer/fp8_grid.hpp"

namespace shardstone {

namespace {

using namespace fp8_grid;

constexpr int largest_exponent = 80;

SHARDSTONE_ROW_FUNCTION std::uint32_t round_row(const bf16* __restrict from, const Grid& grid,
                                                bf16* __restrict to, std::int64_t count) {
    const Grid by_value = grid;
    std::uint32_t largest = 0;
#pragma omp simd reduction(max : largest)
    for (std::int64_t i = 0; i < count; ++i) {
        const std::uint32_t word = std::uint32_t{from[i].bits} << 16;
        largest = std::max(largest, word & magnitude_bits);
        const float number = rounded(std::bit_cast<float>(word), by_value);
        to[i].bits = static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(number) >> 16);
    }
    return largest;
}

SHARDSTONE_ROW_FUNCTION std::uint32_t largest_in_row(const bf16* from, std::int64_t count) {
    std::uint16_t largest = 0;
#pragma omp simd reduction(max : largest)
    for (std::int64_t i = 0; i < count; ++i) {
        largest = std::max(largest, static_cast<std::uint16_t>(from[i].bits & 0x7fffU));
    }
    return std::uint32_t{largest} << 16;
}

}  // namespace

template <class F>
float fp8_scale(float amax) {
    SHARDSTONE_EXPECTS(amax >= 0.0F && std::isfinite(amax));
    if (amax == 0.0F) return 0.0F;
    const double largest = element_traits<F>::largest;
    int exponent = std::ilogb(largest) - std::ilogb(amax);
    if (std::ldexp(static_cast<double>(amax), exponent) > largest) --exponent;
    return std::ldexp(1.0F, std::clamp(exponent, -largest_exponent, largest_exponent));
}

template <class F>
void round_to_fp8(HostQueue, Matrix<const bf16> from, float scale, Matrix<bf16> to, float* amax) {
    SHARDSTONE_EXPECTS(from.rows == to.rows && from.columns == to.columns);
    const Grid grid = grid_of<F>(scale);
    std::uint32_t largest = 0;
    for (std::int64_t r = 0; r < from.rows; ++r) {
        largest = std::max(largest, round_row(from.row(r), grid, to.row(r), from.columns));
    }
    *amax = std::max(*amax, number_of(largest));
}

void largest_magnitude(HostQueue, Matrix<const bf16> from, float* amax) {
    std::uint32_t largest = 0;
    for (std::int64_t r = 0; r < from.rows; ++r) {
        largest = std::max(largest, largest_in_row(from.row(r), from.columns));
    }
    *amax = std::max(*amax, number_of(largest));
}

#define SHARDSTONE_INSTANTIATE(F)       \
    template float fp8_scale<F>(float); \
    template void round_to_fp8<F>(HostQueue, Matrix<const bf16>, float, Matrix<bf16>, float*);
SHARDSTONE_INSTANTIATE(fp8_e4m3)
SHARDSTONE_INSTANTIATE(fp8_e5m2)
#undef SHARDSTONE_INSTANTIATE

}  // namespace shardstone
