// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <functional>
#include <type_traits>

namespace shardstone::emulated {

/// A kernel with its arguments, and how it was launched.
struct Kernel {
    dim3 grid, block;
    std::size_t shared_bytes = 0;
    std::function<void()> body;
    const void* function = nullptr;
};

/// Enqueues the kernel, unless CUDA would refuse it.
cudaError_t enqueue_kernel(cudaStream_t stream, Kernel kernel);

/// Faults if the argument points to memory that the stream's device cannot reach.
void check_pointer_argument(cudaStream_t stream, const Kernel& kernel, const void* pointer);

template <class T>
void check_argument(cudaStream_t stream, const Kernel& kernel, const T& value) {
    if constexpr (std::is_pointer_v<T>) check_pointer_argument(stream, kernel, value);
}

}  // namespace shardstone::emulated
