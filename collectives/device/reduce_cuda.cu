// SPDX-License-Identifier: BSD-3-Clause
// Reductions of two device buffers into one, for every element type and operation.
#include <algorithm>
#include <cstdint>

#include "collectives/device/reduce_cuda.hpp"
#include "collectives/reduction/reduction_operations.hpp"
#include "kernels/base/device/language.hpp"

namespace shardstone::collectives {

namespace {

/// What one thread loads at a time: the widest load there is.
constexpr int load_bytes = 16;
constexpr int threads_per_block = 256;
/// Enough to fill any GPU; longer arrays are gone through in strides.
constexpr std::int64_t most_blocks = 2048;

template <class T>
struct alignas(load_bytes) Lanes {
    static constexpr int count = load_bytes / static_cast<int>(sizeof(T));
    T values[count];
};

template <class T, class Operation>
__device__ T combined(T a, T b) {
    using Wide = arithmetic_of<T>;
    return T(Operation::combine(static_cast<Wide>(a), static_cast<Wide>(b)));
}

/// In whole loads up to the last few elements, or one by one where an array is not aligned for it.
template <class T, class Operation>
__global__ void reduce(T* mine, const T* theirs, std::int64_t count, bool in_lanes) {
    const std::int64_t first = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
    const std::int64_t stride = std::int64_t{gridDim.x} * blockDim.x;
    const std::int64_t loads = in_lanes ? count / Lanes<T>::count : 0;
    for (std::int64_t i = first; i < loads; i += stride) {
        Lanes<T> a = reinterpret_cast<Lanes<T>*>(mine)[i];
        const Lanes<T> b = reinterpret_cast<const Lanes<T>*>(theirs)[i];
        for (int k = 0; k < Lanes<T>::count; ++k) {
            a.values[k] = combined<T, Operation>(a.values[k], b.values[k]);
        }
        reinterpret_cast<Lanes<T>*>(mine)[i] = a;
    }
    for (std::int64_t i = loads * Lanes<T>::count + first; i < count; i += stride) {
        mine[i] = combined<T, Operation>(mine[i], theirs[i]);
    }
}

bool is_aligned(const void* address) {
    return reinterpret_cast<std::uintptr_t>(address) % load_bytes == 0;
}

template <class T, class Operation>
void reduce_in(void* mine, const void* theirs, std::int64_t count, cudaStream_t stream) {
    if (count == 0) return;
    const bool in_lanes = is_aligned(mine) && is_aligned(theirs);
    const std::int64_t per_thread = in_lanes ? Lanes<T>::count : 1;
    const std::int64_t per_block = per_thread * threads_per_block;
    const auto blocks =
        static_cast<unsigned>(std::min(most_blocks, (count + per_block - 1) / per_block));
    device::launch(reduce<T, Operation>, {dim3(blocks), dim3(threads_per_block)}, stream,
                   static_cast<T*>(mine), static_cast<const T*>(theirs), count, in_lanes);
}

}  // namespace

DeviceReduceFunction device_reduce_function(ElementType type, Reduction reduction) {
    return dispatch_reduction(type, reduction,
                              [](auto zero, auto operation) -> DeviceReduceFunction {
                                  return reduce_in<decltype(zero), decltype(operation)>;
                              });
}

}  // namespace shardstone::collectives
