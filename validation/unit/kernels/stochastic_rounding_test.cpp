// SPDX-License-Identifier: BSD-3-Clause
// Stochastic rounding to bf16 is unbiased, independent between elements, and follows its rule.
#include "kernels/base/stochastic_rounding.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "kernels/base/random.hpp"
#include "validation/oracle/stochastic_rounding.hpp"

namespace shardstone::validation {
namespace {

constexpr std::uint64_t seed = 7, stream = 11;

std::vector<bf16> rounded(const std::vector<float>& values, std::int64_t first = 0) {
    std::vector<bf16> result(values.size());
    narrow_stochastically(seed, stream, first, values, result);
    return result;
}

TEST(StochasticRounding, WhatBf16HoldsStays) {
    std::vector<float> values;
    for (std::uint32_t code = 0; code < 0x10000U; ++code) {
        values.push_back(std::bit_cast<float>(code << 16));
    }
    const auto got = rounded(values);
    for (std::size_t code = 0; code < values.size(); ++code) {
        const bf16 want(values[code]);  // any NaN becomes the one NaN
        ASSERT_EQ(got[code].bits, want.bits) << code;
    }
}

/// Mean of `count` roundings of `value`, in units in the last place of bf16 above the lower number.
double mean_step(float value, std::size_t count) {
    const auto lower = std::bit_cast<float>(std::bit_cast<std::uint32_t>(value) & 0xffff0000U);
    const auto upper =
        std::bit_cast<float>((std::bit_cast<std::uint32_t>(value) & 0xffff0000U) + 0x10000U);
    double steps = 0.0;
    for (const bf16 result : rounded(std::vector<float>(count, value))) {
        const auto wide = static_cast<float>(result);
        EXPECT_TRUE(wide == lower || wide == upper) << value;
        steps += wide == upper ? 1.0 : 0.0;
    }
    return steps / static_cast<double>(count);
}

// The number of steps up is binomial: within six standard deviations, which a right generator
// leaves once in 10^9. Rounding to nearest gives 0 or 1 instead, far outside for every fraction
// here.
TEST(StochasticRounding, TheMeanIsTheValue) {
    constexpr std::size_t count = 200000;
    for (const double fraction : {1.0 / 256, 0.125, 0.5, 0.9}) {
        for (const float base : {1.0F, -1.0F, 0x1.8p-130F}) {  // the last: subnormal
            const std::uint32_t dropped = static_cast<std::uint32_t>(fraction * 65536.0);
            const float value = std::bit_cast<float>(std::bit_cast<std::uint32_t>(base) + dropped);
            const double p = dropped / 65536.0;
            const double deviation = std::sqrt(p * (1.0 - p) / count);
            EXPECT_NEAR(mean_step(value, count), p, 6.0 * deviation) << value;
        }
    }
}

// An update of a thousandth of a unit in the last place: round to nearest never moves.
TEST(StochasticRounding, SmallUpdatesAddUpWhereNearestLosesThem) {
    constexpr int steps = 100000;
    constexpr float update = 0x1p-17F;  // the unit in the last place of bf16 at 1 is 2^-7
    std::vector<float> value{1.0F};
    float nearest = 1.0F;
    std::vector<bf16> stored(1);
    for (int step = 0; step < steps; ++step) {
        value[0] += update;
        narrow_stochastically(seed, stream, step, value, stored);
        value[0] = static_cast<float>(stored[0]);
        nearest = static_cast<float>(bf16(nearest + update));
    }
    EXPECT_EQ(nearest, 1.0F);
    // Each step is a multiple of 2^-7 with mean `update`: variance below 2^-7 * update.
    const double deviation = std::sqrt(steps * 0x1p-7 * update);
    EXPECT_NEAR(value[0], 1.0 + steps * update, 6.0 * deviation);
}

TEST(StochasticRounding, DependsOnTheElementsNumberAlone) {
    const RandomStream random(1, "values");
    std::vector<float> values(1500);
    for (std::size_t i = 0; i < values.size(); ++i) {
        values[i] = static_cast<float>(random.normal(i));
    }
    const auto whole = rounded(values, 3);
    for (const std::size_t cut : {1, 5, 512, 1001}) {
        const std::vector<float> rest(values.begin() + static_cast<std::ptrdiff_t>(cut),
                                      values.end());
        const auto part = rounded(rest, 3 + static_cast<std::int64_t>(cut));
        for (std::size_t i = 0; i < part.size(); ++i) {
            ASSERT_EQ(part[i].bits, whole[cut + i].bits) << cut << " " << i;
        }
    }
    const auto shifted = rounded(values, 4);
    std::size_t different = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (shifted[i].bits != whole[i].bits) ++different;
    }
    EXPECT_GT(different, values.size() / 10);
}

/// Whether each of the elements [0, count) of equal values is rounded up.
std::vector<bool> steps_up(float value, std::size_t count) {
    std::vector<bool> up;
    const auto lower = std::bit_cast<float>(std::bit_cast<std::uint32_t>(value) & 0xffff0000U);
    for (const bf16 result : rounded(std::vector<float>(count, value))) {
        up.push_back(static_cast<float>(result) != lower);
    }
    return up;
}

// Of two independent elements both step up with p^2. Elements that share the numbers of a counter,
// or a word of them, do so with p: 6 standard deviations apart for every distance up to two
// counters and every fraction, the small ones for bits that only the upper half would hide.
TEST(StochasticRounding, NeighboursAreIndependent) {
    constexpr std::size_t count = 100000;
    for (const double p : {1.0 / 64, 0.5, 0.9}) {
        const auto up = steps_up(
            std::bit_cast<float>(0x3f800000U + static_cast<std::uint32_t>(p * 65536.0)), count);
        for (std::size_t distance = 1; distance <= 16; ++distance) {
            double both = 0.0;
            for (std::size_t i = 0; i + distance < count; ++i) {
                both += up[i] && up[i + distance] ? 1.0 : 0.0;
            }
            // Pairs overlap: their count varies by up to p^2 (1 - p^2) + 2 (p^3 - p^4) each.
            const double variance = p * p * (1.0 - p * p) + 2.0 * p * p * p * (1.0 - p);
            EXPECT_NEAR(both / count, p * p, 6.0 * std::sqrt(variance / count) + 17.0 / count)
                << "elements " << distance << " apart, fraction " << p;
        }
    }
}

TEST(StochasticRounding, IsThatOfTheRule) {
    constexpr std::int64_t count = 4000, first = 13, step = 37;
    const std::string name = "blocks.0.mlp.expansion.weight";
    std::vector<float> values(count);
    for (std::size_t i = 0; i < values.size(); ++i) {
        values[i] = static_cast<float>(RandomStream(3, "values").normal(i));
    }
    std::vector<bf16> result(values.size());
    narrow_stochastically(seed, stream_of(name + " at step 37"), first, values, result);
    for (std::int64_t i = 0; i < count; ++i) {
        const auto at = static_cast<std::size_t>(i);
        ASSERT_EQ(result[at].bits,
                  oracle::round_stochastically(values[at], seed, name, step, first + i))
            << "element " << first + i;
    }
}

TEST(StochasticRounding, InfinityStaysAndNanIsKept) {
    const float infinity = std::numeric_limits<float>::infinity();
    const float largest = std::numeric_limits<float>::max();
    const auto got = rounded({infinity, -infinity, std::nanf(""), -largest});
    EXPECT_EQ(got[0].bits, 0x7f80);
    EXPECT_EQ(got[1].bits, 0xff80);
    EXPECT_EQ(got[2].bits, 0x7fc0);
    EXPECT_TRUE(got[3].bits == 0xff7f || got[3].bits == 0xff80);
}

}  // namespace
}  // namespace shardstone::validation
