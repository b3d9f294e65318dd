// SPDX-License-Identifier: BSD-3-Clause
// What kernels (*.cu) are written in: CUDA's C++ and the few things that differ between nvcc and
// the emulated device (validation/emulated_device), for which the same sources are compiled by the
// host's compiler. Every instruction that has no CUDA function is in a small wrapper here or in
// matrix_unit.hpp, and its emulation has the same name.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

#include "kernels/base/check_cuda.hpp"

namespace shardstone::device {

/// Where and how wide a kernel runs.
struct Launch {
    dim3 grid, block;
    std::size_t shared_bytes = 0;  ///< of dynamic_shared()
};

}  // namespace shardstone::device

#if defined(__CUDACC__)

// A variable that the threads of a block share, inside a kernel.
#define SHARDSTONE_SHARED(type, name) __shared__ type name

namespace shardstone::device {

/// The block's dynamic shared memory, aligned to 128 B.
template <class T>
__device__ inline T* dynamic_shared() {
    extern __shared__ __align__(128) unsigned char dynamic_shared_bytes[];
    return reinterpret_cast<T*>(dynamic_shared_bytes);
}

/// 2^x by one instruction, within 2^-22 of the result; 0 below 2^-126, and of -infinity.
__device__ inline float exp2_approximate(float x) {
    float result;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(x));
    return result;
}

/// The number, of which the compiler then knows nothing: what is computed from it in a loop is not
/// computed before the loop, to lie in registers that the loop itself needs.
__device__ inline int opaque(int number) {
    asm volatile("" : "+r"(number));
    return number;
}

/// Enqueues kernel(arguments...) in the stream. Throws Error if the launch is refused.
template <class... Parameters, class... Arguments>
void launch(void (*kernel)(Parameters...), const Launch& as, cudaStream_t stream,
            Arguments&&... arguments) {
    constexpr std::size_t without_asking = 48 * 1024;
    if (as.shared_bytes > without_asking) {
        SHARDSTONE_CUDA(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                             static_cast<int>(as.shared_bytes)));
    }
    cudaLaunchConfig_t config{};
    config.gridDim = as.grid;
    config.blockDim = as.block;
    config.dynamicSmemBytes = as.shared_bytes;
    config.stream = stream;
    SHARDSTONE_CUDA(cudaLaunchKernelEx(&config, kernel, static_cast<Parameters>(arguments)...));
}

}  // namespace shardstone::device

#else
#include SHARDSTONE_EMULATED_LANGUAGE
#endif
