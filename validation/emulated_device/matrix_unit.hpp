// SPDX-License-Identifier: BSD-3-Clause
// Emulation of kernels/base/device/matrix_unit.hpp: a warp's lanes exchange their fragments, then
// each computes its own part of the result.
#pragma once

#include <array>
#include <cstring>
#include <type_traits>

#include "kernels/base/device/language.hpp"
#include "kernels/base/narrow_float.hpp"

namespace shardstone::device {

inline void copy_async_16(void* s, const void* g) {
    emu::copy_async(s, g);
}
inline void copy_async_16_if(bool there, void* s, const void* g) {
    alignas(16) static constexpr std::array<unsigned char, 16> zeros{};
    emu::copy_async(s, there ? g : zeros.data());
}
inline void copy_async_commit() {
    emu::copy_async_commit();
}
template <int pending>
void copy_async_wait() {
    emu::copy_async_wait(pending);
}

template <class S>
void mma_m16n8k16(float (&d)[4], const unsigned (&a)[4], const unsigned (&b)[2],
                  emu::Where where = emu::Where::current()) {
    static_assert(std::is_same_v<S, bf16> || std::is_same_v<S, fp16>);
    const unsigned mine[6] = {a[0], a[1], a[2], a[3], b[0], b[1]};
    unsigned char all[32 * 64];
    emu::exchange(~0U, mine, sizeof mine, -1, all, false, where);
    const auto element = [&](unsigned lane, unsigned reg, unsigned half) {
        S value;
        std::memcpy(&value.bits, all + 64 * lane + 4 * reg + 2 * half, 2);
        return static_cast<float>(value);
    };
    const unsigned group = emu::lane() / 4, pair = emu::lane() % 4;
    for (unsigned i = 0; i < 4; ++i) {
        const unsigned row = group + 8 * (i / 2), column = 2 * pair + i % 2;
        for (unsigned k = 0; k < 16; ++k) {
            d[i] += element(row % 8 * 4 + k % 8 / 2, row / 8 + 2 * (k / 8), k % 2) *
                    element(column * 4 + k % 8 / 2, 4 + k / 8, k % 2);
        }
    }
}

/// `transposed`: the matrices' elements (column, row).
inline void load_matrices(unsigned (&to)[4], const void* row, bool transposed, emu::Where where) {
    if (reinterpret_cast<std::uintptr_t>(row) % 16 != 0) emu::misaligned("ldmatrix", where);
    unsigned char all[32 * 64];
    emu::exchange(~0U, row, 16, -1, all, false, where);
    const unsigned group = emu::lane() / 4, pair = 2 * (emu::lane() % 4);
    for (unsigned matrix = 0; matrix < 4; ++matrix) {
        unsigned char* const words = reinterpret_cast<unsigned char*>(&to[matrix]);
        for (unsigned half = 0; half < 2; ++half) {
            const unsigned r = transposed ? pair + half : group;
            const unsigned c = transposed ? group : pair + half;
            std::memcpy(words + 2 * half, all + 64 * (8 * matrix + r) + 2 * c, 2);
        }
    }
}
inline void load_matrices(unsigned (&to)[4], const void* row,
                          emu::Where where = emu::Where::current()) {
    load_matrices(to, row, false, where);
}
inline void load_matrices_transposed(unsigned (&to)[4], const void* row,
                                     emu::Where where = emu::Where::current()) {
    load_matrices(to, row, true, where);
}

}  // namespace shardstone::device
