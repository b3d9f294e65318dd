// SPDX-License-Identifier: BSD-3-Clause
// The gradient norm's sum of squares has the same bits in any order and on any number of ranks.
#include <algorithm>
#include <limits>

#include "kernels/optimizer/gradient_norm.hpp"
#include "validation/unit/kernels/compare.hpp"

namespace shardstone::validation {
namespace {

/// Numbers of all magnitudes from 2^-50 to 2^10, of both signs.
template <class Real>
std::vector<Real> wild_values(std::size_t count) {
    const RandomStream random(11, "gradients");
    std::vector<Real> values(count);
    for (std::size_t i = 0; i < count; ++i) {
        const auto exponent = static_cast<int>(random.below(58, 2 * i)) - 50;
        values[i] = static_cast<Real>(std::ldexp(random.normal(2 * i + 1), exponent));
    }
    return values;
}

template <class Real>
SquareSum sum_of(std::span<const Real> values) {
    SquareSum sum;
    sum.add(values);
    return sum;
}

template <class Real>
SquareSum sum_of(const std::vector<Real>& values) {
    return sum_of(std::span<const Real>(values));
}

/// What an all-reduce of the ranks' limbs gives.
SquareSum reduced(const std::vector<SquareSum>& ranks) {
    SquareSum::Limbs limbs{};
    for (const SquareSum& rank : ranks) {
        for (std::size_t i = 0; i < limbs.size(); ++i) limbs[i] += rank.limbs()[i];
    }
    return SquareSum(limbs);
}

template <class Real>
class SquareSums : public testing::Test {};
TYPED_TEST_SUITE(SquareSums, RealTypes);

TYPED_TEST(SquareSums, DoNotDependOnTheOrder) {
    auto values = wild_values<TypeParam>(20011);
    const auto forward = sum_of(values).limbs();
    std::ranges::reverse(values);
    EXPECT_EQ(sum_of(values).limbs(), forward);
    std::ranges::sort(values);
    EXPECT_EQ(sum_of(values).limbs(), forward);
}

TYPED_TEST(SquareSums, DoNotDependOnTheCallsOrTheRanks) {
    const auto values = wild_values<TypeParam>(20011);
    const std::span<const TypeParam> all(values);
    const SquareSum whole = sum_of(all);
    for (const std::size_t parts : {1U, 2U, 3U, 5U, 8U, 1000U}) {
        SquareSum one_rank;
        std::vector<SquareSum> ranks;
        for (std::size_t p = 0; p < parts; ++p) {
            const std::size_t begin = p * p * all.size() / (parts * parts);
            const std::size_t end = (p + 1) * (p + 1) * all.size() / (parts * parts);
            one_rank.add(all.subspan(begin, end - begin));
            ranks.push_back(sum_of(all.subspan(begin, end - begin)));
        }
        EXPECT_EQ(one_rank.limbs(), whole.limbs()) << parts << " calls";
        EXPECT_EQ(reduced(ranks).limbs(), whole.limbs()) << parts << " ranks";
        EXPECT_EQ(reduced(ranks).value(), whole.value()) << parts << " ranks";
    }
}

// The plain sum of the same squares does depend on the order: the tests above can fail.
TYPED_TEST(SquareSums, ThatAreFloatingPointDoDependOnTheOrder) {
    auto values = wild_values<TypeParam>(20011);
    const auto plain = [](const std::vector<TypeParam>& all) {
        double sum = 0.0;
        for (const double value : all) sum += value * value;
        return sum;
    };
    const double forward = plain(values);
    std::ranges::sort(values);
    EXPECT_NE(plain(values), forward);
}

TYPED_TEST(SquareSums, KeepTheirBound) {
    const auto values = wild_values<TypeParam>(20011);
    long double sum = 0.0L;
    for (const long double value : values) sum += value * value;
    const auto truth = static_cast<double>(sum);
    const auto n = static_cast<double>(values.size());
    // The header's; the long double sum is charged with n 2^-64, its rounding with 2^-53.
    const double bound = n * 0x1p-91 + truth * (5 * 0x1p-53 + n * 0x1p-64);
    EXPECT_NEAR(sum_of(values).value(), truth, bound);
    auto changed = values;  // a planted error of one part in 2^20
    *std::ranges::max_element(changed) *= static_cast<TypeParam>(1.0 + 0x1p-20);
    EXPECT_GT(std::abs(sum_of(changed).value() - truth), bound);
}

TYPED_TEST(SquareSums, OfWholeNumbersAndOfTinyOnesAreExact) {
    EXPECT_EQ(sum_of(std::vector<TypeParam>(12293, 3)).value(), 9.0 * 12293);
    EXPECT_EQ(sum_of(std::vector<TypeParam>(12293, 0x1p-45)).value(), 12293 * 0x1p-90);
    EXPECT_EQ(sum_of(std::vector<TypeParam>(12293, 0x1p-46)).value(), 0.0);  // below the grid
    EXPECT_EQ(SquareSum().value(), 0.0);
}

// The largest elements, and those with the largest remainders: squares just under half a step of
// the grids 2^10 and 2^-40.
TYPED_TEST(SquareSums, StayExactAtTheLimit) {
    const auto limit = static_cast<TypeParam>(SquareSum::limit);
    EXPECT_EQ(sum_of(std::vector<TypeParam>(1 << 16, -limit)).value(), 0x1p56);
    for (const double remainder : {0x1.6ap4, 0x1.6ap-21}) {
        const std::vector<TypeParam> values(3 * 4096, static_cast<TypeParam>(remainder));
        EXPECT_EQ(sum_of(values).value(), remainder * remainder * 3 * 4096);
    }
    // Limbs of 2^12 ranks, each one's lower limbs as full as they may be.
    const std::int64_t full = (std::int64_t{1} << 50) - 1;
    const SquareSum::Limbs limbs{1, full * 4096, full * 4096, 0};
    EXPECT_EQ(SquareSum(limbs).value(), 0x1p10 + 4096 * 0x1p10);
}

TYPED_TEST(SquareSums, BeyondTheLimitAreNoNumbers) {
    const double infinity = std::numeric_limits<double>::infinity();
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const auto sound = wild_values<TypeParam>(9000);
    const double above = SquareSum::limit * (1.0 + 2.0 * roundoff<TypeParam>);
    for (const double bad : {above, -above, 1e30, infinity, -infinity, nan, -nan}) {
        auto values = sound;
        values[5000] = static_cast<TypeParam>(bad);
        const SquareSum sum = sum_of(values);
        EXPECT_TRUE(std::isnan(sum.value())) << bad;
        EXPECT_TRUE(std::isnan(reduced({sum_of(sound), sum, sum}).value())) << bad;
    }
    EXPECT_TRUE(std::isfinite(reduced({sum_of(sound), sum_of(sound)}).value()));
}

TYPED_TEST(SquareSums, OneNumberThatIsNotFiniteIsFound) {
    using Real = TypeParam;
    using Limits = std::numeric_limits<Real>;
    for (const std::size_t place : {0, 63, 64, 200}) {
        for (const Real bad : {Limits::infinity(), -Limits::infinity(), Limits::quiet_NaN()}) {
            std::vector<Real> values(201, Limits::max());
            NotFinite found;
            find_not_finite<Real>(HostQueue(), values, 1000, found);
            EXPECT_FALSE(found.is_there);
            values.back() = Limits::infinity();
            values[place] = bad;
            find_not_finite<Real>(HostQueue(), values, 1000, found);
            EXPECT_TRUE(found.is_there);
            EXPECT_EQ(found.place, static_cast<std::int64_t>(1000 + place));
            EXPECT_EQ(std::isnan(found.value), std::isnan(bad));
            EXPECT_EQ(std::signbit(found.value), std::signbit(bad));
            find_not_finite<Real>(HostQueue(), values, 2000, found);
            EXPECT_LT(found.place, 2000) << "the first that was found stays";
        }
    }
}

}  // namespace
}  // namespace shardstone::validation
