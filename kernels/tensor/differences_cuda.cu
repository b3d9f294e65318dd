// SPDX-License-Identifier: BSD-3-Clause
// Elements of two arrays on the GPU that differ are counted, by their bits.
#include "kernels/base/device/block_sums.hpp"
#include "kernels/base/device/elements.hpp"
#include "kernels/base/device/grid.hpp"
#include "kernels/tensor/arrays.hpp"

namespace shardstone {

namespace {

using namespace device;

template <class T>
using BitsOf = std::conditional_t<sizeof(T) == 2, std::uint16_t, std::uint32_t>;

/// Of all blocks into one number, whose value does not depend on their order.
template <class T>
__global__ void count_differences(const T* one, const T* other, std::int64_t count,
                                  std::int64_t* differing) {
    std::int64_t mine = 0;
    for_each_of_grid(count, [&](std::int64_t i) {
        mine += std::bit_cast<BitsOf<T>>(one[i]) != std::bit_cast<BitsOf<T>>(other[i]) ? 1 : 0;
    });
    using OfWarps = std::int64_t[warp_size];
    SHARDSTONE_SHARED(OfWarps, partial);
    mine = over_block(mine, std::int64_t{0}, partial);
    if (threadIdx.x == 0 && mine != 0) {
        atomicAdd(reinterpret_cast<unsigned long long*>(differing),
                  static_cast<unsigned long long>(mine));
    }
}

}  // namespace

template <class T>
void add_differences(CudaQueue queue, const T* one, const T* other, std::int64_t count,
                     std::int64_t* differing) {
    if (count == 0) return;
    launch(count_differences<T>, elementwise(count), queue.stream(), one, other, count, differing);
}

#define SHARDSTONE_INSTANTIATE(T) \
    template void add_differences(CudaQueue, const T*, const T*, std::int64_t, std::int64_t*);
SHARDSTONE_INSTANTIATE(float)
SHARDSTONE_INSTANTIATE(bf16)
SHARDSTONE_INSTANTIATE(fp16)
#undef SHARDSTONE_INSTANTIATE

}  // namespace shardstone
