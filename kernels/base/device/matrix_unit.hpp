// SPDX-License-Identifier: BSD-3-Clause
// The instructions of matrix units and of asynchronous copies, one small wrapper each.
#pragma once

#include "kernels/base/device/language.hpp"

#if defined(__CUDACC__)

namespace shardstone::device {

/// D (16, 8) += A (16, 16) B (16, 8) by one warp; fragments as in the PTX manual, mma.m16n8k16.
__device__ inline void mma_m16n8k16_bf16(float (&d)[4], const unsigned (&a)[4],
                                         const unsigned (&b)[2]) {
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
        "{%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

/// Copies 16 B to shared memory, both addresses multiples of 16; there after the wait for its group.
__device__ inline void copy_async_16(void* shared, const void* global) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(
                     static_cast<unsigned>(__cvta_generic_to_shared(shared))),
                 "l"(global)
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
