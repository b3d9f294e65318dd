// SPDX-License-Identifier: BSD-3-Clause
#include "reference/strategies/exact_sum.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "kernels/base/error.hpp"
#include "kernels/base/random.hpp"

namespace shardstone::validation {
namespace {

using namespace reference;

/// Numbers of all magnitudes from 2^-80 to 2^12, of both signs.
std::vector<float> wild_terms(std::size_t count) {
    const RandomStream random(5, "terms");
    std::vector<float> terms(count);
    for (std::size_t i = 0; i < count; ++i) {
        const auto exponent = static_cast<int>(random.below(93, 2 * i)) - 80;
        terms[i] = static_cast<float>(std::ldexp(random.normal(2 * i + 1) / 8, exponent));
    }
    return terms;
}

ExactPair sum_of(const std::vector<float>& terms) {
    const double limit = exact_term_limit(std::ssize(terms));
    ExactPair sum;
    for (const float term : terms) add_exactly(term, limit, sum);
    return sum;
}

void expect_same_bits(const ExactPair& a, const ExactPair& b) {
    EXPECT_EQ(std::bit_cast<std::uint64_t>(a.high), std::bit_cast<std::uint64_t>(b.high));
    EXPECT_EQ(std::bit_cast<std::uint64_t>(a.low), std::bit_cast<std::uint64_t>(b.low));
}

TEST(ExactSum, DoesNotDependOnOrderOrGrouping) {
    auto terms = wild_terms(5000);
    const ExactPair forward = sum_of(terms);
    std::ranges::reverse(terms);
    expect_same_bits(sum_of(terms), forward);
    std::ranges::sort(terms);
    expect_same_bits(sum_of(terms), forward);
    ExactPair grouped;
    const std::size_t groups = 7;
    for (std::size_t g = 0; g < groups; ++g) {
        ExactPair part;
        for (std::size_t i = g; i < terms.size(); i += groups) add_exactly(terms[i], 1e4, part);
        grouped.high += part.high;
        grouped.low += part.low;
    }
    expect_same_bits(grouped, forward);
}

// The plain sum of the same terms does depend on it: the test above can fail.
TEST(ExactSum, PlainSumsOfTheseTermsDoDependOnOrder) {
    auto terms = wild_terms(5000);
    const auto plain = [](const std::vector<float>& all) {
        double sum = 0.0;
        for (const float term : all) sum += static_cast<double>(term) * (1.0 + 0x1p-30);
        return sum;
    };
    const double forward = plain(terms);
    std::ranges::sort(terms);
    EXPECT_NE(plain(terms), forward);
}

TEST(ExactSum, IsTheSum) {
    const auto terms = wild_terms(5000);
    long double truth = 0.0L;
    long double magnitudes = 0.0L;
    for (const float term : terms) {
        truth += term;
        magnitudes += std::abs(term);
    }
    // 2^-67 per term lies below the grid; the long double sum and the last rounding are charged
    // with n 2^-64 and 2^-53 of the magnitudes.
    const auto n = static_cast<double>(terms.size());
    const auto bound = n * 0x1p-67 + static_cast<double>(magnitudes) * (n * 0x1p-64 + 0x1p-53);
    EXPECT_NEAR(sum_of(terms).value(), static_cast<double>(truth), bound);
}

// The worst case that the limits allow: as many terms as there may be, each as large as it may be
// and with the largest remainder; one more step of either grid would no longer be exact.
TEST(ExactSum, StaysExactAtItsLimits) {
    const double limit = exact_term_limit(most_exact_terms);
    EXPECT_EQ(limit, 0x1p13);
    const double term = limit - 0x1p-27;  // remainder -2^-27 or 2^-27 by ties-to-even
    ExactPair sum;
    for (std::int64_t i = 0; i < most_exact_terms; ++i) add_exactly(term, limit, sum);
    EXPECT_EQ(sum.high + sum.low, 0x1p27 - 0x1p-13);
    EXPECT_LE(std::abs(sum.high), 0x1p27);
    EXPECT_LE(std::abs(sum.low), 0x1p-13);
}

TEST(ExactSum, VectorsAndSingleTermsAgree) {
    const auto terms = wild_terms(1000);
    std::vector<ExactPair> sums(terms.size());
    add_exactly(terms, 1e4, sums);
    add_exactly(terms, 1e4, sums);
    std::vector<float> rounded(terms.size());
    round_sums(sums, rounded);
    for (std::size_t i = 0; i < terms.size(); ++i) {
        ExactPair one;
        add_exactly(terms[i], 1e4, one);
        add_exactly(terms[i], 1e4, one);
        expect_same_bits(sums[i], one);
        EXPECT_EQ(rounded[i], static_cast<float>(one.value()));
        if (std::abs(terms[i]) >= 0x1p-43) {  // all 24 bits lie on the low grid
            EXPECT_EQ(rounded[i], 2 * terms[i]);
        }
    }
}

TEST(ExactSum, RefusesWhatItCannotHold) {
    const double limit = exact_term_limit(24);
    ExactPair sum;
    std::vector<ExactPair> sums(3);
    for (const double bad : {2 * limit, -2 * limit, std::numeric_limits<double>::infinity(),
                             std::numeric_limits<double>::quiet_NaN()}) {
        EXPECT_THROW(add_exactly(bad, limit, sum), Error);
        const std::vector<float> terms{0.0F, static_cast<float>(bad), 0.0F};
        EXPECT_THROW(add_exactly(terms, limit, sums), Error);
    }
    EXPECT_THROW(exact_term_limit(most_exact_terms + 1), Error);
}

}  // namespace
}  // namespace shardstone::validation
