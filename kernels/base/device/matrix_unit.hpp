// SPDX-License-Identifier: BSD-3-Clause
// The instructions of matrix units and of asynchronous copies, one small wrapper each.
#pragma once

#include <type_traits>

#include "kernels/base/device/language.hpp"
#include "kernels/base/narrow_float.hpp"

#if defined(__CUDACC__)

namespace shardstone::device {

/// D (16, 8) += A (16, 16) B (16, 8) by one warp, elements bf16 or fp16; fragments as in the PTX
/// manual, mma.m16n8k16. With g = lane / 4 and p = 2 (lane % 4), the lower element of a register
/// first: a = {(g, p..), (g + 8, p..), (g, p + 8..), (g + 8, p + 8..)}, b = {(p.., g), (p + 8..,
/// g)}, d = {(g, p), (g, p + 1), (g + 8, p), (g + 8, p + 1)}.
template <class S>
__device__ inline void mma_m16n8k16(float (&d)[4], const unsigned (&a)[4], const unsigned (&b)[2]) {
    static_assert(std::is_same_v<S, bf16> || std::is_same_v<S, fp16>);
    if constexpr (std::is_same_v<S, bf16>) {
        asm volatile(
            "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
            "{%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
            : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
            : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
    } else {
        asm volatile(
            "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
            "{%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
            : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
            : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
    }
}

/// Four matrices (8, 8) of 16-bit elements from shared memory, by one warp: lanes 8 i to 8 i + 7
/// give the addresses of matrix i's rows, each of 16 B and a multiple of that. Register i is then
/// elements (lane / 4, 2 (lane % 4)..) of matrix i: a fragment of A, or of B if stored (8, 16).
__device__ inline void load_matrices(unsigned (&to)[4], const void* row) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                 : "r"(static_cast<unsigned>(__cvta_generic_to_shared(row))));
}
/// The same of the transposed matrices: elements (2 (lane % 4).., lane / 4) of those stored.
__device__ inline void load_matrices_transposed(unsigned (&to)[4], const void* row) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                 : "r"(static_cast<unsigned>(__cvta_generic_to_shared(row))));
}

/// Copies 16 B to shared memory, both addresses multiples of 16; there after the wait for its
/// group.
__device__ inline void copy_async_16(void* shared, const void* global) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(
                     static_cast<unsigned>(__cvta_generic_to_shared(shared))),
                 "l"(global)
                 : "memory");
}
/// The same if `there`; else 16 zero bytes, and nothing is read.
__device__ inline void copy_async_16_if(bool there, void* shared, const void* global) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(
                     static_cast<unsigned>(__cvta_generic_to_shared(shared))),
                 "l"(global), "r"(there ? 16 : 0)
                 : "memory");
}
__device__ inline void copy_async_commit() {
    asm volatile("cp.async.commit_group;" ::: "memory");
}
/// Waits until at most `pending` of the thread's newest groups are under way.
template <int pending>
__device__ inline void copy_async_wait() {
    asm volatile("cp.async.wait_group %0;" ::"n"(pending) : "memory");
}

}  // namespace shardstone::device

#else
#include SHARDSTONE_EMULATED_MATRIX_UNIT
#endif
