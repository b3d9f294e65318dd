// SPDX-License-Identifier: BSD-3-Clause
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

std::array<std::uint32_t, 4> philox(std::uint64_t key, std::uint64_t stream, std::uint64_t index) {
    // Multipliers and Weyl constants: table 2 of the paper.
    std::array<std::uint32_t, 4> x{
        static_cast<std::uint32_t>(index), static_cast<std::uint32_t>(index >> 32),
        static_cast<std::uint32_t>(stream), static_cast<std::uint32_t>(stream >> 32)};
    auto k0 = static_cast<std::uint32_t>(key);
    auto k1 = static_cast<std::uint32_t>(key >> 32);
    for (int round = 0; round < 10; ++round) {
        const std::uint64_t p0 = std::uint64_t{0xD2511F53U} * x[0];
        const std::uint64_t p1 = std::uint64_t{0xCD9E8D57U} * x[2];
        x = {static_cast<std::uint32_t>(p1 >> 32) ^ x[1] ^ k0, static_cast<std::uint32_t>(p1),
             static_cast<std::uint32_t>(p0 >> 32) ^ x[3] ^ k1, static_cast<std::uint32_t>(p0)};
        k0 += 0x9E3779B9U;
        k1 += 0xBB67AE85U;
    }
    return x;
}

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
