// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace shardstone {

/// Philox4x32-10, the counter-based generator of Salmon et al., "Parallel Random Numbers: As Easy
/// as 1, 2, 3", SC11: a pure function of (key, counter), so that any element of any stream can be
/// computed on any rank without drawing the preceding ones.
constexpr std::array<std::uint32_t, 4> philox(std::uint64_t key, std::uint64_t stream,
                                              std::uint64_t index) {
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

/// A stable 64-bit id of a name (FNV-1a), for the streams of named parameters.
constexpr std::uint64_t stream_of(std::string_view name) {
    std::uint64_t hash = 0xcbf29ce484222325ULL;
    for (const char c : name) {
        hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
    }
    return hash;
}

/// One stream of random numbers: a function of (seed, stream, index) and nothing else.
class RandomStream {
  public:
    RandomStream(std::uint64_t seed, std::uint64_t stream) : seed_(seed), stream_(stream) {}
    RandomStream(std::uint64_t seed, std::string_view name) : RandomStream(seed, stream_of(name)) {}

    std::uint64_t bits(std::uint64_t index) const;
    /// In [0, 1), a multiple of 2^-53.
    double uniform(std::uint64_t index) const;
    /// Mean 0, variance 1 (Box and Muller).
    double normal(std::uint64_t index) const;
    /// In [0, bound), exactly uniform up to 2^-64 * bound; bound > 0.
    std::uint64_t below(std::uint64_t bound, std::uint64_t index) const;

  private:
    std::uint64_t seed_;
    std::uint64_t stream_;
};

}  // namespace shardstone
