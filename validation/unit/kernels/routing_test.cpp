// SPDX-License-Identifier: BSD-3-Clause
// The router's softmax, its choices of experts: in order, tied, and whatever the logits are.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "kernels/transformer/router.hpp"
#include "validation/unit/kernels/plain_sums.hpp"

namespace shardstone::validation {
namespace {

using Choices = std::vector<std::int32_t>;

template <class Real>
struct Routed {
    std::vector<Real> probabilities, log_sum_exp;
    Choices choices;

    Routed(const Values& logits, Size rows, Size top_k)
        : probabilities(as<Real>(logits)), log_sum_exp(rows, 99), choices(rows * top_k, -7) {
        route(HostQueue(), view(probabilities, rows), log_sum_exp.data(), view(choices, rows));
    }
};

double plain_log_sum_exp(const double* logits, Size experts) {
    const double highest = *std::max_element(logits, logits + experts);
    double sum = 0.0;
    for (Size e = 0; e < experts; ++e) sum += std::exp(logits[e] - highest);
    return highest + std::log(sum);
}

template <class Real>
class Routing : public testing::Test {};
TYPED_TEST_SUITE(Routing, RealTypes);

constexpr Size rows = 4, experts = 70;

/// All different within a row, multiples of 1/8 from -4 on: 37 e takes each value modulo 71 once.
Values different_logits() {
    Values logits;
    for (Size i = 0; i < rows * experts; ++i) {
        const Size n = i / experts, e = i % experts;
        logits.push_back(static_cast<double>((37 * e + 11 * n) % 71) / 8.0 - 4.0);
    }
    return logits;
}

TYPED_TEST(Routing, ProbabilitiesAreWithinTheirBound) {
    using Real = TypeParam;
    const Values logits = different_logits();
    const Routed<Real> routed(logits, rows, 1);
    Values probabilities, sums, bounds, sum_bounds;
    // An exponential is good to 2 units in the last place, 4 u, and its argument, up to the spread
    // of the logits, to u of that; a sum of them besides to experts / 64 + 7 additions.
    const double spread = 71.0 / 8.0, exponential = 4.0 + spread;
    const double sum = exponential + experts / 64 + 7;
    for (Size n = 0; n < rows; ++n) {
        const double expected = plain_log_sum_exp(&logits[n * experts], experts);
        sums.push_back(expected);
        // The logarithm, from 0 to log(experts), to a unit in the last place; then its addition.
        const double roundings = sum + 2.0 * std::log(experts) + std::abs(expected);
        sum_bounds.push_back(higher_orders * roundings * roundoff<Real>);
        for (Size e = 0; e < experts; ++e) {
            const double p = std::exp(logits[n * experts + e] - expected);
            probabilities.push_back(p);
            // A reciprocal and a product.
            bounds.push_back(higher_orders * (exponential + sum + 2.0) * roundoff<Real> * p);
        }
    }
    EXPECT_LE(worst_ratio(routed.probabilities, probabilities, bounds), 1.0);
    EXPECT_LE(worst_ratio(routed.log_sum_exp, sums, sum_bounds), 1.0);
    std::swap(sums[0], sums[1]);
    EXPECT_GT(worst_ratio(routed.log_sum_exp, sums, sum_bounds), 1.0);
    std::ranges::rotate(probabilities, probabilities.begin() + 1);
    EXPECT_GT(worst_ratio(routed.probabilities, probabilities, bounds), 1.0);
}

TYPED_TEST(Routing, ChoicesAreTheLargestInOrder) {
    const Values logits = different_logits();
    for (const Size top_k : {Size{1}, Size{2}, Size{5}, experts}) {
        Choices expected;
        for (Size n = 0; n < rows; ++n) {
            Choices order(experts);
            std::iota(order.begin(), order.end(), 0);
            std::ranges::sort(order, std::ranges::greater{},
                              [&](std::int32_t e) { return logits[n * experts + e]; });
            expected.insert(expected.end(), order.begin(), order.begin() + top_k);
        }
        EXPECT_EQ(Routed<TypeParam>(logits, rows, top_k).choices, expected) << top_k;
    }
}

TYPED_TEST(Routing, OfEqualOnesTheLowerExpertComesFirst) {
    const Values logits{1, 3, 3, 0, 3, 1, /**/ 2, 2, 2, 2, 2, 2};
    EXPECT_EQ(Routed<TypeParam>(logits, 2, 5).choices, (Choices{1, 2, 4, 0, 5, 0, 1, 2, 3, 4}));
    EXPECT_EQ(Routed<TypeParam>(logits, 2, 2).choices, (Choices{1, 2, 0, 1}));
}

TYPED_TEST(Routing, LargeLogitsDoNotOverflow) {
    using Real = TypeParam;
    const Routed<Real> routed({10000, 10000, -10000, 10000}, 1, 1);
    EXPECT_EQ(routed.probabilities[0], routed.probabilities[3]);
    EXPECT_NEAR(wide(routed.probabilities[0]), 1.0 / 3.0, 4.0 * roundoff<Real>);
    EXPECT_NEAR(wide(routed.log_sum_exp[0]), 10000.0 + std::log(3.0), 10000.0 * roundoff<Real>);
    EXPECT_LT(wide(routed.probabilities[2]), 1e-37);
}

TYPED_TEST(Routing, ChoicesAreDifferentExpertsWhateverTheLogits) {
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    constexpr double infinity = std::numeric_limits<double>::infinity();
    constexpr Size count = 6;
    for (const double odd : {nan, infinity, -infinity}) {
        for (Size mask = 0; mask < (1 << count); ++mask) {
            Values logits{1, 2, 3, 4, 5, 6, /**/ 1, 0, 4, 2, 3, 5};
            for (Size e = 0; e < count; ++e) logits[e] = mask >> e & 1 ? odd : logits[e];
            for (const Size top_k : {Size{1}, Size{3}, count}) {
                const Routed<TypeParam> routed(logits, 2, top_k);
                Choices own(routed.choices.begin(), routed.choices.begin() + top_k);
                std::ranges::sort(own);
                EXPECT_EQ(std::ranges::adjacent_find(own), own.end()) << odd << " at " << mask;
                EXPECT_TRUE(own.front() >= 0 && own.back() < count) << odd << " at " << mask;
                EXPECT_EQ(routed.choices[top_k], 5) << "the next row";
            }
        }
    }
    EXPECT_TRUE(std::isnan(Routed<TypeParam>({1, nan, 2}, 1, 1).log_sum_exp[0]));
}

// Two sequences of two positions, three experts.
TYPED_TEST(Routing, LossesAreSumsOverPositions) {
    using Real = TypeParam;
    std::vector<Real> p{0.5, 0.25, 0.25, 0, 0.5, 0.5, 0.125, 0.375, 0.5, 1, 0, 0};
    std::vector<Real> picks{4, 2, 1, 1, 0, 8};
    const std::vector<Real> log_sum_exp{1, 2, -3, 4};
    double balance = 100.0, z = 1000.0;  // are added to
    router_losses<Real>(HostQueue(), view(p, 4), view(picks, 2), log_sum_exp.data(), 2.0, &balance,
                        &z);
    EXPECT_EQ(balance, 100.0 + 2.0 * (2.75 + 1.5 + 4.125 + 1.0));
    EXPECT_EQ(z, 1000.0 + 30.0);
}

}  // namespace
}  // namespace shardstone::validation
