// SPDX-License-Identifier: BSD-3-Clause
// Gradients into exact sums on the GPU, and back.
#include "kernels/base/device/block_sums.hpp"
#include "kernels/base/device/elements.hpp"
#include "kernels/base/device/grid.hpp"
#include "kernels/optimizer/exact_gradients.hpp"

namespace shardstone {

namespace {

using namespace device;

/// Both words at once.
using PairPack = Pack<double, 2>;

__device__ ExactPair load_pair(const ExactPair* from) {
    const auto pack = load_pack<double, 2>(&from->high);
    return {pack.element[0], pack.element[1]};
}
__device__ void store_pair(const ExactPair& pair, ExactPair* to) {
    store_pack(PairPack{{pair.high, pair.low}}, &to->high);
}

template <class Real>
__global__ void move(Real* gradients, std::int64_t count, double limit, ExactPair* sums,
                     std::int64_t* lost) {
    int own_lost = 0;
    for_each_of_grid(count, [&](std::int64_t i) {
        const double term = gradients[i];
        ExactPair sum = load_pair(sums + i);  // under way together
        gradients[i] = Real(0);
        if (fabs(term) <= limit) {
            shardstone::detail::add_split(term, sum);
            store_pair(sum, sums + i);
        } else {
            ++own_lost;
        }
    });
    using OfWarps = int[warp_size];
    SHARDSTONE_SHARED(OfWarps, partial);
    own_lost = over_block(own_lost, 0, partial);
    if (threadIdx.x == 0 && own_lost != 0) {
        atomicAdd(reinterpret_cast<unsigned long long*>(lost),
                  static_cast<unsigned long long>(own_lost));
    }
}

__global__ void add(const ExactPair* from, ExactPair* to, std::int64_t count) {
    for_each_of_grid(count, [=](std::int64_t i) {
        const ExactPair more = load_pair(from + i);
        ExactPair sum = load_pair(to + i);
        sum.high += more.high;
        sum.low += more.low;
        store_pair(sum, to + i);
    });
}

template <class Real>
__global__ void round(const ExactPair* sums, Real* gradients, std::int64_t count) {
    for_each_of_grid(count, [=](std::int64_t i) {
        gradients[i] = static_cast<Real>(load_pair(sums + i).value());
    });
}

}  // namespace

template <class Real>
void move_to_exact_sums(CudaQueue queue, Cuda::Span<Real> gradients, double limit,
                        Cuda::Span<ExactPair> sums, std::int64_t& lost) {
    SHARDSTONE_EXPECTS(gradients.size() == sums.size());
    const auto count = static_cast<std::int64_t>(gradients.size());
    if (count == 0) return;
    launch(move<Real>, elementwise(count), queue.stream(), gradients.data(), count, limit,
           sums.data(), &lost);
}

void add_exact_sums(CudaQueue queue, Cuda::Span<const ExactPair> others,
                    Cuda::Span<ExactPair> sums) {
    SHARDSTONE_EXPECTS(others.size() == sums.size());
    const auto count = static_cast<std::int64_t>(sums.size());
    if (count == 0) return;
    launch(add, elementwise(count), queue.stream(), others.data(), sums.data(), count);
}

template <class Real>
void round_exact_sums(CudaQueue queue, Cuda::Span<const ExactPair> sums,
                      Cuda::Span<Real> gradients) {
    SHARDSTONE_EXPECTS(gradients.size() == sums.size());
    const auto count = static_cast<std::int64_t>(sums.size());
    if (count == 0) return;
    launch(round<Real>, elementwise(count), queue.stream(), sums.data(), gradients.data(), count);
}

#define SHARDSTONE_INSTANTIATE(Real)                                                             \
    template void move_to_exact_sums(CudaQueue, Cuda::Span<Real>, double, Cuda::Span<ExactPair>, \
                                     std::int64_t&);                                             \
    template void round_exact_sums(CudaQueue, Cuda::Span<const ExactPair>, Cuda::Span<Real>);
SHARDSTONE_INSTANTIATE(float)
SHARDSTONE_INSTANTIATE(double)
#undef SHARDSTONE_INSTANTIATE

}  // namespace shardstone
