// SPDX-License-Identifier: BSD-3-Clause
// Uniform, normal and bounded integer draws from a counter-based Philox stream.
#include "kernels/base/random.hpp"

#include <cmath>
#include <numbers>

namespace shardstone {

namespace {

double unit_interval(std::uint64_t bits) {
    return static_cast<double>(bits >> 11) * 0x1p-53;
}

std::uint64_t join(std::uint32_t high, std::uint32_t low) {
    return (std::uint64_t{high} << 32) | low;
}

}  // namespace

std::uint64_t RandomStream::bits(std::uint64_t index) const {
    const auto x = philox(seed_, stream_, index);
    return join(x[0], x[1]);
}

double RandomStream::uniform(std::uint64_t index) const {
    return unit_interval(bits(index));
}

double RandomStream::normal(std::uint64_t index) const {
    const auto x = philox(seed_, stream_, index);
    const double radius = std::sqrt(-2.0 * std::log1p(-unit_interval(join(x[0], x[1]))));
    return radius * std::cos(2.0 * std::numbers::pi * unit_interval(join(x[2], x[3])));
}

std::uint64_t RandomStream::below(std::uint64_t bound, std::uint64_t index) const {
    __extension__ typedef unsigned __int128 wide;
    return static_cast<std::uint64_t>((static_cast<wide>(bits(index)) * bound) >> 64);
}

}  // namespace shardstone
