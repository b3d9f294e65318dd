// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kernels/base/device/language.hpp"

namespace shardstone::device {

inline void copy_async_16(void* s, const void* g) { emu::copy_async(s, g); }
inline void copy_async_commit() { emu::copy_async_commit(); }
template <int pending> void copy_async_wait() { emu::copy_async_wait(pending); }

// Tensor core: gather all lanes' fragments, then each lane computes its own four outputs.
inline void mma_m16n8k16_bf16(float (&d)[4], const unsigned (&a)[4], const unsigned (&b)[2], emu::Where w = emu::Where::current()) {
    unsigned mine[6] = {a[0], a[1], a[2], a[3], b[0], b[1]};
    unsigned char all[32 * 64];
    emu::exchange(~0u, mine, sizeof mine, -1, all, false, w);
    auto bf16 = [&](int lane, int reg, int half) {
        unsigned bits;
        std::memcpy(&bits, all + 64 * lane + 4 * reg, 4);
        bits = half ? bits & 0xffff0000u : bits << 16;
        float f;
        std::memcpy(&f, &bits, 4);
        return f;
    };
    const int group = emu::lane() / 4, pair = emu::lane() % 4;
    for (int i = 0; i < 4; ++i) {
        const int row = group + 8 * (i / 2), col = 2 * pair + i % 2;
        float sum = d[i];
        for (int k = 0; k < 16; ++k)
            sum += bf16(row % 8 * 4 + k % 8 / 2, row / 8 + 2 * (k / 8), k % 2) * bf16(col * 4 + k % 8 / 2, 4 + k / 8, k % 2);
        d[i] = sum;
    }
}


}  // namespace shardstone::device
