// SPDX-License-Identifier: BSD-3-Clause
// A hash of a sharded model's tensors that is the same under every parallel layout.
#include "benchmarks/training/run/fingerprint.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <type_traits>

#include "kernels/base/random.hpp"
#include "reference/trainer/owned_ranges.hpp"

namespace shardstone::benchmarks {

namespace {

using namespace reference;

/// The finaliser of SplitMix64 (Steele, Lea and Flood 2014): every bit in changes half of those
/// out.
std::uint64_t mix(std::uint64_t x) {
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
    return x ^ (x >> 31);
}

template <class Real>
std::uint64_t bits_of(Real value) {
    if constexpr (std::is_same_v<Real, float>) {
        return std::bit_cast<std::uint32_t>(value);
    } else {
        return std::bit_cast<std::uint64_t>(value);
    }
}

}  // namespace

template <class Real>
std::uint64_t Fingerprint<Real>::of(const std::vector<Range>& ranges, const Coordinates& at,
                                    const Values& values) const {
    const OwnedRanges all(ranges);
    std::uint64_t sum = 0;
    for (const ParameterInfo& tensor : layout_.parameters()) {
        if (tensor.copy || (tensor.replicated && at.tensor > 0)) continue;
        for (const Range& range : all.within({tensor.offset, tensor.count})) {
            sum += of_tensor(tensor, range, values(range));
        }
    }
    return sum;
}

template <class Real>
std::uint64_t Fingerprint<Real>::of_tensor(const ParameterInfo& tensor, const Range& range,
                                           std::span<const Real> values) const {
    constexpr std::uint64_t odd = 0x9e3779b97f4a7c15ULL;  // 2^64 over the golden ratio
    const std::uint64_t name = mix(stream_of(tensor.name));
    const std::int64_t first = range.first - tensor.offset;
    std::uint64_t sum = 0;
    for (const TensorPiece& piece : tensor.pieces()) {
        const std::int64_t from = std::max(first, piece.local);
        const std::int64_t to = std::min(first + range.count, piece.local + piece.count);
        for (std::int64_t i = from; i < to; ++i) {
            const auto index = static_cast<std::uint64_t>(piece.global + i - piece.local);
            const auto value = bits_of(values[static_cast<std::size_t>(i - first)]);
            sum += mix(mix(name + index * odd) ^ value);
        }
    }
    return sum;
}

std::uint64_t sum_over_ranks(const collectives::Communicator& world, std::uint64_t fingerprint) {
    // 64 bits travel exactly as two FP64 of 32 bits each.
    const std::array halves{static_cast<double>(fingerprint >> 32),
                            static_cast<double>(fingerprint & 0xffffffffU)};
    const auto all = world.all_gather(halves);
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < all.size(); i += 2) {
        sum += (static_cast<std::uint64_t>(all[i]) << 32) + static_cast<std::uint64_t>(all[i + 1]);
    }
    return sum;
}

template class Fingerprint<float>;
template class Fingerprint<double>;

}  // namespace shardstone::benchmarks
