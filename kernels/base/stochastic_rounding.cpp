// SPDX-License-Identifier: BSD-3-Clause
// Rounds FP32 to bf16 stochastically: 16 random bits are added below the last place, then cut off.
#include "kernels/base/stochastic_rounding.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

#include "kernels/base/error.hpp"
#include "kernels/base/random.hpp"

namespace shardstone {

namespace {

constexpr std::size_t counters_per_block = 64;
constexpr auto values_per_counter = static_cast<std::size_t>(random_numbers_per_counter);
constexpr std::size_t values_per_block = counters_per_block * values_per_counter;

using Block = std::array<std::uint32_t, values_per_block>;

/// 16 random bits each.
void fill_block(std::uint64_t seed, std::uint64_t stream, std::uint64_t first_counter,
                Block& values) {
    std::array<std::array<std::uint32_t, counters_per_block>, 4> words;
    for (std::size_t i = 0; i < counters_per_block; ++i) {
        const auto x = philox(seed, stream, first_counter + i);
        for (std::size_t word = 0; word < x.size(); ++word) words[word][i] = x[word];
    }
    for (std::size_t i = 0; i < counters_per_block; ++i) {
        for (std::size_t word = 0; word < words.size(); ++word) {
            values[i * values_per_counter + 2 * word] = words[word][i] & 0xffffU;
            values[i * values_per_counter + 2 * word + 1] = words[word][i] >> 16;
        }
    }
}

}  // namespace

void narrow_stochastically(std::uint64_t seed, std::uint64_t stream, std::int64_t first,
                           std::span<const float> from, std::span<bf16> to) {
    SHARDSTONE_EXPECTS(from.size() == to.size() && first >= 0);
    std::uint64_t counter = static_cast<std::uint64_t>(first) / values_per_counter;
    // Numbers of the first counter that lie before `first`.
    std::size_t skipped = static_cast<std::uint64_t>(first) % values_per_counter;
    Block random;
    for (std::size_t done = 0; done < from.size(); counter += counters_per_block) {
        fill_block(seed, stream, counter, random);
        const std::size_t count = std::min(values_per_block - skipped, from.size() - done);
        for (std::size_t i = 0; i < count; ++i) {
            to[done + i] = detail::round_stochastically(from[done + i], random[skipped + i]);
        }
        done += count;
        skipped = 0;
    }
}

}  // namespace shardstone
