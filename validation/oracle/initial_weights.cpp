// SPDX-License-Identifier: BSD-3-Clause
// Initial weights to the last bit, from Philox words through a Box-Muller transform in FP32.
#include "validation/oracle/initial_weights.hpp"

#include <array>
#include <cmath>

#include "validation/oracle/random.hpp"

namespace shardstone::validation::oracle {

namespace {

/// -2 ln u, u in (0, 1]: u = m 2^e with m at least the FP32 number next to sqrt(1/2).
float minus_twice_logarithm(float u) {
    int exponent = 0;
    float m = std::frexp(u, &exponent);
    if (m < 0.70710677F) {
        m *= 2.0F;
        --exponent;
    }
    const float s = (m - 1.0F) / (m + 1.0F);
    const float square = s * s;
    float series = 1.0F / 9;
    for (const float coefficient : {1.0F / 7, 1.0F / 5, 1.0F / 3, 1.0F}) {
        series = coefficient + square * series;
    }
    return -2.0F * (static_cast<float>(exponent) * 0.69314718F + 2.0F * (s * series));
}

/// Cosine and sine of 2 pi turns / 2^32.
std::array<float, 2> point_on_circle(std::int32_t turns) {
    const float quarters = static_cast<float>(turns) * 0x1p-30F;
    const float nearest = std::nearbyint(quarters);
    const float angle = (quarters - nearest) * 1.57079633F;
    const float square = angle * angle;
    const float sine =
        angle * (1.0F - square * (1.0F / 6 - square * (1.0F / 120 - square * (1.0F / 5040))));
    const float cosine =
        1.0F -
        square * (0.5F - square * (1.0F / 24 - square * (1.0F / 720 - square * (1.0F / 40320))));
    switch (static_cast<int>(nearest)) {
        case 0:
            return {cosine, sine};
        case 1:
            return {-sine, cosine};
        case -1:
            return {sine, -cosine};
        default:  // 2 and -2: half a turn
            return {-cosine, -sine};
    }
}

/// Two normal numbers of two words.
std::array<float, 2> box_and_muller(std::uint32_t radius_word, std::uint32_t angle_word) {
    const float u = static_cast<float>(radius_word) * 0x1p-32F + 0x1p-33F;
    const float radius = std::sqrt(minus_twice_logarithm(u));
    const auto [x, y] = point_on_circle(static_cast<std::int32_t>(angle_word));
    return {radius * x, radius * y};
}

float deviation(const std::string& name, std::int64_t layers) {
    const bool ends_a_branch = name.ends_with(".projection.weight");
    return ends_a_branch ? 0.02F / std::sqrt(2.0F * static_cast<float>(layers)) : 0.02F;
}

}  // namespace

bool is_norm(const std::string& name) {
    return name.find("norm") != std::string::npos;
}

bool is_bias(const std::string& name) {
    return name.ends_with(".bias");
}

bool is_matrix(const std::string& name) {
    return !is_norm(name) && !is_bias(name);
}

std::vector<float> initial_weights(std::uint64_t seed, const std::string& name, std::int64_t count,
                                   std::int64_t layers) {
    if (is_bias(name)) return std::vector<float>(static_cast<std::size_t>(count), 0.0F);
    if (is_norm(name)) return std::vector<float>(static_cast<std::size_t>(count), 1.0F);
    const std::uint64_t stream = stream_named(name);
    const float factor = deviation(name, layers);
    std::vector<float> weights;
    for (std::uint64_t group = 0; std::ssize(weights) < count; ++group) {
        const auto words = philox_words(seed, stream, group);
        for (const std::size_t pair : {0, 2}) {
            for (const float normal : box_and_muller(words[pair], words[pair + 1])) {
                weights.push_back(factor * normal);
            }
        }
    }
    weights.resize(static_cast<std::size_t>(count));
    return weights;
}

}  // namespace shardstone::validation::oracle
