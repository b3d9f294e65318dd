// SPDX-License-Identifier: BSD-3-Clause
// The gradient norm's sum of squares on the GPU, and the search for what is not finite.
#include <limits>

#include "kernels/optimizer/gradient_norm.hpp"
#include "kernels/optimizer/squares_cuda.hpp"

namespace shardstone {

namespace {

using namespace device;

template <class Real>
struct Stored {
    static constexpr int at_once = 4;
    const Real* values;

    template <int count>
    __device__ Pack<Real, count> at(std::int64_t place) const {
        return load_pack<Real, count>(values + place);
    }
};

__device__ bool is_finite(float value) {
    return (std::bit_cast<std::uint32_t>(value) & 0x7f800000U) != 0x7f800000U;
}
__device__ bool is_finite(double value) {
    constexpr std::uint64_t exponent = std::uint64_t{0x7ff} << 52;
    return (std::bit_cast<std::uint64_t>(value) & exponent) != exponent;
}

/// The place until it is known whether anything is there: counted down from here, so that the first
/// of all is the largest, and zero, as it is at first, means none.
constexpr std::int64_t no_place = std::numeric_limits<std::int64_t>::max();

/// The same of the first of `count` neighbours.
template <int count, class Real>
__device__ std::int64_t first_of(const Pack<Real, count>& values, std::int64_t place) {
    std::int64_t found = 0;
#pragma unroll
    for (int i = count - 1; i >= 0; --i) {
        if (!is_finite(values.element[i])) found = no_place - (place + i);
    }
    return found;
}

/// Leaves the first in found->place.
template <class Real>
__global__ void search(Packs<Real> packs, const Real* values, std::int64_t first,
                       NotFinite* found) {
    if (found->is_there) return;
    constexpr int width = Packs<Real>::width, at_once = 4;
    const auto threads = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
    const auto own = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    std::int64_t mine = 0;
    // What a thread finds later lies behind.
    for (std::int64_t i = own; i < packs.packs && mine == 0; i += at_once * threads) {
        Pack<Real, width> loaded[at_once] = {};
#pragma unroll
        for (int k = 0; k < at_once; ++k) {
            const std::int64_t pack = i + k * threads;
            if (pack < packs.packs) {
                loaded[k] = load_pack<Real>(values + packs.place_of_pack(pack));
            }
        }
#pragma unroll
        for (int k = 0; k < at_once; ++k) {
            const std::int64_t place = packs.place_of_pack(i + k * threads);
            mine = std::max(mine, first_of(loaded[k], first + place));
        }
    }
    for (std::int64_t i = own; i < packs.singles; i += threads) {
        const std::int64_t place = packs.place_of_single(i);
        mine = std::max(mine, first_of(load_pack<Real, 1>(values + place), first + place));
    }
    using OfWarps = std::int64_t[warp_size];
    SHARDSTONE_SHARED(OfWarps, partial);
    mine = over_block(mine, std::int64_t{0}, partial, Larger());
    if (threadIdx.x == 0 && mine != 0) {
        atomicMax(reinterpret_cast<long long*>(&found->place), static_cast<long long>(mine));
    }
}

/// One thread completes the record.
template <class Real>
__global__ void record(const Real* values, std::int64_t first, NotFinite* found) {
    if (found->is_there || found->place == 0) return;
    const std::int64_t place = no_place - found->place;
    found->place = place;
    found->value = static_cast<double>(values[place - first]);
    found->is_there = true;
}

}  // namespace

template <class Real>
void add_squares(CudaQueue queue, Cuda::Span<const Real> values, SquareSum::Limbs& sum) {
    const auto packs = Packs<Real>::of(static_cast<std::int64_t>(values.size()), values.data());
    add_squares_of(queue.stream(), packs, Stored<Real>{values.data()}, sum);
}

template <class Real>
void find_not_finite(CudaQueue queue, Cuda::Span<const Real> values, std::int64_t first,
                     NotFinite& found) {
    if (values.empty()) return;
    const auto packs = Packs<Real>::of(static_cast<std::int64_t>(values.size()), values.data());
    // One wave of blocks.
    Launch as = elementwise(packs.pieces());
    as.grid.x = std::min(as.grid.x, 1024U);
    launch(search<Real>, as, queue.stream(), packs, values.data(), first, &found);
    launch(record<Real>, {dim3(1), dim3(1)}, queue.stream(), values.data(), first, &found);
}

#define SHARDSTONE_INSTANTIATE(Real)                                                 \
    template void add_squares(CudaQueue, Cuda::Span<const Real>, SquareSum::Limbs&); \
    template void find_not_finite(CudaQueue, Cuda::Span<const Real>, std::int64_t, NotFinite&);
SHARDSTONE_INSTANTIATE(float)
SHARDSTONE_INSTANTIATE(double)
#undef SHARDSTONE_INSTANTIATE

}  // namespace shardstone
