// SPDX-License-Identifier: BSD-3-Clause
// Vectorised normal random numbers from Philox, addressed by element, for initial weights.
#include "kernels/base/fill_normal.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "kernels/base/random.hpp"

namespace shardstone {

namespace {

constexpr std::size_t counters_per_block = 128;
constexpr std::size_t values_per_counter = 4;

template <class T>
using Lanes = std::array<T, counters_per_block>;

/// -2 ln(u) for u in (0, 1]: u = m 2^e with m in [sqrt(1/2), sqrt(2)), ln m = 2 artanh(s) with
/// s = (m - 1)/(m + 1), |s| < 0.172, as a series; the rest is below 2^-30.
inline float minus_two_log(float u) {
    constexpr std::uint32_t root_half_bits = 0x3f3504f3U;
    const auto bits = std::bit_cast<std::uint32_t>(u);
    const std::uint32_t shifted = bits - root_half_bits;
    const auto exponent = static_cast<std::int32_t>(shifted) >> 23;
    const auto m = std::bit_cast<float>((shifted & 0x7fffffU) + root_half_bits);
    const float s = (m - 1.0F) / (m + 1.0F);
    const float t = s * s;
    const float series =
        s * (1.0F + t * (1.0F / 3 + t * (1.0F / 5 + t * (1.0F / 7 + t * (1.0F / 9)))));
    return -2.0F * (static_cast<float>(exponent) * 0.69314718F + 2.0F * series);
}

struct Angle {
    float cosine, sine;
};

/// Cosine and sine of 2 pi (turns / 2^32): the nearest quarter turn and Taylor's series for the
/// rest, at most pi/4, the remainders below 2^-25.
inline Angle angle_of(std::int32_t turns) {
    constexpr float half_pi = 1.57079633F;
    constexpr float round_to_integer = 0x1.8p23F;
    const float quarters = static_cast<float>(turns) * 0x1p-30F;
    const float shifted = quarters + round_to_integer;
    const auto quadrant = std::bit_cast<std::uint32_t>(shifted);
    const float a = (quarters - (shifted - round_to_integer)) * half_pi;
    const float t = a * a;
    const float s = a * (1.0F - t * (1.0F / 6 - t * (1.0F / 120 - t * (1.0F / 5040))));
    const float c = 1.0F - t * (0.5F - t * (1.0F / 24 - t * (1.0F / 720 - t * (1.0F / 40320))));
    const float first = (quadrant & 1U) != 0 ? s : c;
    const float second = (quadrant & 1U) != 0 ? c : s;
    return {((quadrant + 1U) & 2U) != 0 ? -first : first, (quadrant & 2U) != 0 ? -second : second};
}

void box_muller(const Lanes<std::uint32_t>& radius_bits, const Lanes<std::uint32_t>& angle_bits,
                Lanes<float>& first, Lanes<float>& second) {
    for (std::size_t i = 0; i < counters_per_block; ++i) {
        const float u = static_cast<float>(radius_bits[i]) * 0x1p-32F + 0x1p-33F;
        const float radius = std::sqrt(minus_two_log(u));
        const Angle angle = angle_of(static_cast<std::int32_t>(angle_bits[i]));
        first[i] = radius * angle.cosine;
        second[i] = radius * angle.sine;
    }
}

using Block = std::array<float, counters_per_block * values_per_counter>;

void fill_block(std::uint64_t seed, std::uint64_t stream, std::uint64_t first_counter,
                Block& values) {
    std::array<Lanes<std::uint32_t>, values_per_counter> words;
    for (std::size_t i = 0; i < counters_per_block; ++i) {
        const auto x = philox(seed, stream, first_counter + i);
        for (std::size_t word = 0; word < values_per_counter; ++word) words[word][i] = x[word];
    }
    std::array<Lanes<float>, values_per_counter> normals;
    box_muller(words[0], words[1], normals[0], normals[1]);
    box_muller(words[2], words[3], normals[2], normals[3]);
    for (std::size_t i = 0; i < counters_per_block; ++i) {
        for (std::size_t word = 0; word < values_per_counter; ++word) {
            values[i * values_per_counter + word] = normals[word][i];
        }
    }
}

}  // namespace

void fill_normal(std::uint64_t seed, std::string_view name, std::int64_t first,
                 float standard_deviation, std::span<float> values) {
    const std::uint64_t stream = stream_of(name);
    // Numbers of the first counter that lie before `first`.
    std::size_t skipped = static_cast<std::uint64_t>(first) % values_per_counter;
    Block block;
    std::uint64_t counter = static_cast<std::uint64_t>(first) / values_per_counter;
    for (std::size_t filled = 0; filled < values.size(); counter += counters_per_block) {
        fill_block(seed, stream, counter, block);
        const std::size_t count = std::min(block.size() - skipped, values.size() - filled);
        for (std::size_t i = 0; i < count; ++i) {
            values[filled + i] = standard_deviation * block[skipped + i];
        }
        filled += count;
        skipped = 0;
    }
}

}  // namespace shardstone
