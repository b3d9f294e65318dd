// SPDX-License-Identifier: BSD-3-Clause
// Measures the peak of a core's matrix unit on tiles that stay in its registers (Intel's AMX).
#include "kernels/roofline/roofline.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>

#include "kernels/base/clock.hpp"
#endif

namespace shardstone {

#if defined(__x86_64__)

namespace {

constexpr int rows = 16, row_bytes = 64;
/// Sums of products; the latency of a product is that of four, and two tiles are their factors.
constexpr int accumulators = 6;
constexpr int rounds = 1000;
/// Of two factors of 16 x 32 and 32 x 16 elements.
constexpr double flop_per_product = 2.0 * rows * 16.0 * 32.0;

/// LDTILECFG's operand (Intel SDM, volume 1, chapter 18): all eight tiles whole.
struct alignas(64) TileConfiguration {
    std::uint8_t palette = 1;
    std::uint8_t start_row = 0;
    std::array<std::uint8_t, 14> reserved{};
    std::array<std::uint16_t, 16> row_bytes_of{};
    std::array<std::uint8_t, 16> rows_of{};
};

/// The kernel gives a process the registers only if it asks for them.
bool may_use_tiles() {
    constexpr long request_permission = 0x1023, tile_data = 18;
    return __builtin_cpu_supports("amx-bf16") != 0 &&
           ::syscall(SYS_arch_prctl, request_permission, tile_data) == 0;
}

__attribute__((target("amx-tile,amx-bf16"))) void multiply_tiles() {
    for (int round = 0; round < rounds; ++round) {
        _tile_dpbf16ps(0, 6, 7);
        _tile_dpbf16ps(1, 6, 7);
        _tile_dpbf16ps(2, 6, 7);
        _tile_dpbf16ps(3, 6, 7);
        _tile_dpbf16ps(4, 6, 7);
        _tile_dpbf16ps(5, 6, 7);
    }
}

__attribute__((target("amx-tile,amx-bf16"))) double best_run_s() {
    TileConfiguration tiles;
    std::fill_n(tiles.row_bytes_of.begin(), 8, static_cast<std::uint16_t>(row_bytes));
    std::fill_n(tiles.rows_of.begin(), 8, static_cast<std::uint8_t>(rows));
    _tile_loadconfig(&tiles);  // and all tiles are zero
    constexpr double enough_s = 0.1;
    double best_s = enough_s;
    for (const double start_s = now_s(); now_s() - start_s < enough_s;) {
        const double begin_s = now_s();
        multiply_tiles();
        best_s = std::min(best_s, now_s() - begin_s);
    }
    _tile_release();
    return best_s;
}

}  // namespace

std::optional<double> measured_matrix_unit_flop_s() {
    if (!may_use_tiles()) return std::nullopt;
    return accumulators * rounds * flop_per_product / best_run_s();
}

#else

std::optional<double> measured_matrix_unit_flop_s() {
    return std::nullopt;
}

#endif

}  // namespace shardstone
