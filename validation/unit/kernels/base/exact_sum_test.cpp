// SPDX-License-Identifier: BSD-3-Clause
// Exact sums have the same bits in any order or grouping, up to the limits that they state.
#include "kernels/base/exact_sum.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <type_traits>

#include "kernels/base/error.hpp"
#include "kernels/base/random.hpp"

namespace shardstone::validation {
namespace {

/// Numbers of all magnitudes from 2^-80 to 2^12, of both signs.
template <class Real>
std::vector<Real> wild_terms(std::size_t count) {
    const RandomStream random(5, "terms");
    std::vector<Real> terms(count);
    for (std::size_t i = 0; i < count; ++i) {
        const auto exponent = static_cast<int>(random.below(93, 2 * i)) - 80;
        terms[i] = static_cast<Real>(std::ldexp(random.normal(2 * i + 1) / 8, exponent));
    }
    return terms;
}

template <class Real>
ExactPair sum_of(const std::vector<Real>& terms) {
    const double limit = exact_term_limit(std::ssize(terms));
    ExactPair sum;
    for (const Real term : terms) add_exactly(term, limit, sum);
    return sum;
}

void expect_same_bits(const ExactPair& a, const ExactPair& b) {
    EXPECT_EQ(std::bit_cast<std::uint64_t>(a.high), std::bit_cast<std::uint64_t>(b.high));
    EXPECT_EQ(std::bit_cast<std::uint64_t>(a.low), std::bit_cast<std::uint64_t>(b.low));
}

template <class Real>
class ExactSum : public testing::Test {};
using RealTypes = testing::Types<float, double>;
TYPED_TEST_SUITE(ExactSum, RealTypes);

TYPED_TEST(ExactSum, DoesNotDependOnOrderOrGrouping) {
    auto terms = wild_terms<TypeParam>(5000);
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
TYPED_TEST(ExactSum, PlainSumsOfTheseTermsDoDependOnOrder) {
    auto terms = wild_terms<TypeParam>(5000);
    const auto plain = [](const std::vector<TypeParam>& all) {
        double sum = 0.0;
        for (const TypeParam term : all) sum += static_cast<double>(term) * (1.0 + 0x1p-30);
        return sum;
    };
    const double forward = plain(terms);
    std::ranges::sort(terms);
    EXPECT_NE(plain(terms), forward);
}

TYPED_TEST(ExactSum, IsTheSum) {
    const auto terms = wild_terms<TypeParam>(5000);
    long double truth = 0.0L;
    long double magnitudes = 0.0L;
    for (const TypeParam term : terms) {
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
TEST(ExactSumOfDoubles, StaysExactAtItsLimits) {
    const double limit = exact_term_limit(most_exact_terms);
    EXPECT_EQ(limit, 0x1p13);
    const double term = limit - 0x1p-27;  // remainder -2^-27 or 2^-27 by ties-to-even
    ExactPair sum;
    for (std::int64_t i = 0; i < most_exact_terms; ++i) add_exactly(term, limit, sum);
    EXPECT_EQ(sum.high + sum.low, 0x1p27 - 0x1p-13);
    EXPECT_LE(std::abs(sum.high), 0x1p27);
    EXPECT_LE(std::abs(sum.low), 0x1p-13);
}

/// Magnitudes from which on all bits of a term lie on the low grid.
template <class Real>
constexpr double no_loss = std::is_same_v<Real, float> ? 0x1p-43 : 0x1p-14;

TYPED_TEST(ExactSum, VectorsAndSingleTermsAgree) {
    using Real = TypeParam;
    const auto terms = wild_terms<Real>(1000);
    std::vector<ExactPair> sums(terms.size());
    add_exactly<Real>(terms, 1e4, sums);
    add_exactly<Real>(terms, 1e4, sums);
    std::vector<Real> rounded(terms.size());
    round_sums<Real>(sums, rounded);
    int cut = 0;
    for (std::size_t i = 0; i < terms.size(); ++i) {
        ExactPair one;
        add_exactly(terms[i], 1e4, one);
        add_exactly(terms[i], 1e4, one);
        expect_same_bits(sums[i], one);
        EXPECT_EQ(rounded[i], static_cast<Real>(one.value()));
        EXPECT_NEAR(rounded[i], 2 * terms[i], 0x1p-66);
        if (std::abs(terms[i]) >= no_loss<Real>) {
            EXPECT_EQ(rounded[i], 2 * terms[i]);
        }
        cut += static_cast<int>(rounded[i] != 2 * terms[i]);
    }
    EXPECT_GT(cut, 100);  // as the header says, small ones are rounded to the grid
}

TYPED_TEST(ExactSum, RefusesWhatItCannotHold) {
    const double limit = exact_term_limit(24);
    ExactPair sum;
    std::vector<ExactPair> sums(3);
    for (const double bad : {2 * limit, -2 * limit, std::numeric_limits<double>::infinity(),
                             std::numeric_limits<double>::quiet_NaN()}) {
        EXPECT_THROW(add_exactly(bad, limit, sum), Error);
        const std::vector<TypeParam> terms{0, static_cast<TypeParam>(bad), 0};
        EXPECT_THROW(add_exactly<TypeParam>(terms, limit, sums), Error);
    }
    EXPECT_THROW(exact_term_limit(most_exact_terms + 1), Error);
}

}  // namespace
}  // namespace shardstone::validation
