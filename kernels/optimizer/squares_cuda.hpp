// SPDX-License-Identifier: BSD-3-Clause
// The kernel that adds squares to a SquareSum on the GPU, of numbers that are read or computed.
#pragma once

#include "kernels/base/device/block_sums.hpp"
#include "kernels/base/device/grid.hpp"
#include "kernels/base/device/packs.hpp"
#include "kernels/base/device/unfused.hpp"
#include "kernels/optimizer/square_limbs.hpp"

namespace shardstone::device {

namespace detail {

using square_limbs::Bits;

/// Sums of one thread. Only add() knows of the constants in them.
struct ThreadSquares {
    std::int64_t high = 0, middle = 0, low = 0, beyond = 0;

    /// Of up to square_limbs::block numbers, from their parts; leaves the lower limbs carried.
    __device__ void add(const square_limbs::Parts& sums, Bits squares) {
        const square_limbs::Parts more = square_limbs::without_constants(sums, squares);
        high += static_cast<std::int64_t>(more.high);
        middle += static_cast<std::int64_t>(more.middle);
        low += static_cast<std::int64_t>(more.low);
        square_limbs::carry_up(low, middle);
        square_limbs::carry_up(middle, high);
    }
};

/// Adds to a limb that others add to; what it passes on to the next one. A limb without its carries
/// would count up through multiples of 2^limb_bits: whoever makes it pass some takes them off
/// again, which moves nobody else's crossings. So when all have come it is carried, whatever the
/// order.
__device__ inline std::int64_t add_to_limb(std::int64_t more, std::int64_t& limb) {
    auto* const word = reinterpret_cast<unsigned long long*>(&limb);
    const auto before =
        static_cast<std::int64_t>(atomicAdd(word, static_cast<unsigned long long>(more)));
    const std::int64_t crossed =
        ((before + more) >> square_limbs::limb_bits) - (before >> square_limbs::limb_bits);
    if (crossed != 0) {
        atomicAdd(word, static_cast<unsigned long long>(-crossed * square_limbs::limb));
    }
    return crossed;
}

/// The sums of a block's threads into the sum; each limb of a thread is under 2^50, of 256 threads
/// under 2^58, of most_square_blocks blocks (carried before) under 2^61.
__device__ inline void add_of_block(ThreadSquares own, std::int64_t* limbs) {
    using OfWarps = std::int64_t[warp_size];
    SHARDSTONE_SHARED(OfWarps, partial);
    const std::int64_t none = 0;
    own.high = over_block(own.high, none, partial);
    own.middle = over_block(own.middle, none, partial);
    own.low = over_block(own.low, none, partial);
    own.beyond = over_block(own.beyond, none, partial);
    if (threadIdx.x != 0) return;
    square_limbs::carry_up(own.low, own.middle);
    square_limbs::carry_up(own.middle, own.high);
    own.middle += add_to_limb(own.low, limbs[2]);
    own.high += add_to_limb(own.middle, limbs[1]);
    atomicAdd(reinterpret_cast<unsigned long long*>(limbs),
              static_cast<unsigned long long>(own.high));
    if (own.beyond != 0) {
        atomicAdd(reinterpret_cast<unsigned long long*>(limbs + 3),
                  static_cast<unsigned long long>(own.beyond));
    }
}

/// Numbers whose squares are still to be added up, the parts of those that are.
struct Running {
    square_limbs::Parts sums{};
    int squares = 0;
    int beyond = 0;

    /// Beyond the limit it is counted and taken as 0.
    template <class Real>
    __device__ void add(Real number) {
        const double value = number;
        const double exact = (Unfused<double>(value) * Unfused<double>(value)).value;
        const bool sound = exact <= square_limbs::largest_square;
        const square_limbs::Parts parts = square_limbs::parts_of(sound ? exact : 0.0);
        beyond += static_cast<int>(!sound);
        sums.high += parts.high;
        sums.middle += parts.middle;
        sums.low += parts.low;
        ++squares;
    }
    __device__ void move_to(ThreadSquares& total) {
        total.add(sums, static_cast<Bits>(squares));
        total.beyond += beyond;
        *this = {};
    }
};

inline constexpr int square_threads = 256;
inline constexpr std::int64_t most_square_blocks = 1024;

/// numbers.at<count>(place) are `count` neighbours; Numbers::at_once packs are under way at a time.
template <class Real, class Numbers>
__global__ void add_squares(Packs<Real> packs, Numbers numbers, std::int64_t* limbs) {
    constexpr int width = Packs<Real>::width, at_once = Numbers::at_once;
    const auto threads = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
    const auto own = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    ThreadSquares total;
    Running running;
    for (std::int64_t i = own; i < packs.packs; i += at_once * threads) {
        Pack<Real, width> values[at_once] = {};
#pragma unroll
        for (int k = 0; k < at_once; ++k) {
            const std::int64_t pack = i + k * threads;
            if (pack < packs.packs) {
                values[k] = numbers.template at<width>(packs.place_of_pack(pack));
            }
        }
#pragma unroll
        for (int k = 0; k < at_once; ++k) {
#pragma unroll
            for (int j = 0; j < width; ++j) running.add(values[k].element[j]);
        }
        if (running.squares + at_once * width > square_limbs::block) running.move_to(total);
    }
    for (std::int64_t i = own; i < packs.singles; i += threads) {
        running.add(numbers.template at<1>(packs.place_of_single(i)).element[0]);
        if (running.squares == square_limbs::block) running.move_to(total);
    }
    running.move_to(total);
    add_of_block(total, limbs);
}

}  // namespace detail

/// Enqueues the addition of the squares of numbers.at<1>(i) for each i of the packs and singles.
template <class Real, class Numbers>
void add_squares_of(cudaStream_t stream, const Packs<Real>& packs, const Numbers& numbers,
                    SquareSum::Limbs& sum) {
    if (packs.pieces() == 0) return;
    const std::int64_t blocks =
        (packs.pieces() + detail::square_threads - 1) / detail::square_threads;
    launch(detail::add_squares<Real, Numbers>,
           {dim3(static_cast<unsigned>(std::min(blocks, detail::most_square_blocks))),
            dim3(detail::square_threads)},
           stream, packs, numbers, sum.data());
}

}  // namespace shardstone::device
