// SPDX-License-Identifier: BSD-3-Clause
// Emulation of kernels/base/device/matrix_unit.hpp: a warp's lanes exchange their fragments, then
// each computes its own part of the result.
#pragma once

#include <array>
#include <cstring>
#include <type_traits>

#include "kernels/base/device/language.hpp"
#include "kernels/base/narrow_float.hpp"
#include "validation/emulated_device/sanitizers.hpp"

namespace shardstone::device {

inline void copy_async_16(void* shared, const void* global,
                          emulated::Where where = emulated::Where::current()) {
    emulated::copy_async(shared, global, where);
}
inline void copy_async_16_if(bool there, void* shared, const void* global,
                             emulated::Where where = emulated::Where::current()) {
    alignas(16) static constexpr std::array<unsigned char, 16> zeros{};
    emulated::copy_async(shared, there ? global : zeros.data(), where);
}
inline void copy_async_commit() {
    emulated::copy_async_commit();
}
template <int pending>
void copy_async_wait() {
    emulated::copy_async_wait(pending);
}

template <class S>
void mma_m16n8k16(float (&d)[4], const unsigned (&a)[4], const unsigned (&b)[2],
                  emulated::Where where = emulated::Where::current()) {
    static_assert(std::is_same_v<S, bf16> || std::is_same_v<S, fp16>);
    const unsigned mine[6] = {a[0], a[1], a[2], a[3], b[0], b[1]};
    const emulated::Exchanged& all = emulated::exchange(~0U, mine, sizeof mine, false, where);
    const auto element = [&](unsigned lane, unsigned reg, unsigned half) {
        S value;
        std::memcpy(&value.bits, all.of[lane] + 4 * reg + 2 * half, 2);
        return static_cast<float>(value);
    };
    const unsigned group = emulated::lane() / 4, pair = emulated::lane() % 4;
    for (unsigned i = 0; i < 4; ++i) {
        const unsigned row = group + 8 * (i / 2), column = 2 * pair + i % 2;
        for (unsigned k = 0; k < 16; ++k) {
            d[i] += element(row % 8 * 4 + k % 8 / 2, row / 8 + 2 * (k / 8), k % 2) *
                    element(column * 4 + k % 8 / 2, 4 + k / 8, k % 2);
        }
    }
}

/// `transposed`: the matrices' elements (column, row).
inline void load_matrices(unsigned (&to)[4], const void* row, bool transposed,
                          emulated::Where where) {
    emulated::expect_aligned(row, 16, "ldmatrix", where);
    emulated::note_read(row, 16);
    const emulated::Exchanged& all = emulated::exchange(~0U, row, 16, false, where);
    const unsigned group = emulated::lane() / 4, pair = 2 * (emulated::lane() % 4);
    for (unsigned matrix = 0; matrix < 4; ++matrix) {
        unsigned char* const words = reinterpret_cast<unsigned char*>(&to[matrix]);
        for (unsigned half = 0; half < 2; ++half) {
            const unsigned r = transposed ? pair + half : group;
            const unsigned c = transposed ? group : pair + half;
            std::memcpy(words + 2 * half, all.of[8 * matrix + r] + 2 * c, 2);
        }
    }
}
inline void load_matrices(unsigned (&to)[4], const void* row,
                          emulated::Where where = emulated::Where::current()) {
    load_matrices(to, row, false, where);
}
inline void load_matrices_transposed(unsigned (&to)[4], const void* row,
                                     emulated::Where where = emulated::Where::current()) {
    load_matrices(to, row, true, where);
}

}  // namespace shardstone::device
