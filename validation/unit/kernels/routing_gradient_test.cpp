// SPDX-License-Identifier: BSD-3-Clause
// The gradient of the router's softmax: by hand, by its formula, and by finite differences.
#include <algorithm>
#include <cmath>

#include "kernels/transformer/router.hpp"
#include "validation/unit/kernels/plain_sums.hpp"

namespace shardstone::validation {
namespace {

template <class Real>
class RoutingGradient : public testing::Test {};
TYPED_TEST_SUITE(RoutingGradient, RealTypes);

TYPED_TEST(RoutingGradient, IsExactOnEighths) {
    using Real = TypeParam;
    std::vector<Real> p{0.5, 0.25, 0.25, 0.125, 0.5, 0.375}, d_gates{4, 8, 16, 2};
    const std::vector<Real> log_sum_exp{3, -2}, picks{0.5, 1, -3};
    std::vector<std::int32_t> choices{2, 0, 1, 2};
    std::vector<Real> d(6, Real(99));
    router_backward<Real>(HostQueue(), view(p, 2), view(choices, 2), view(d_gates, 2),
                          log_sum_exp.data(), picks.data(), Real(2), Real(0.5), view(d, 2));
    // dp = (9, 2, -2), of mean 4.5, and (1, 18, -4), of mean 7.625; 2 z lse = 3 and -2.
    EXPECT_EQ(wide_values(d), (Values{0.5 * 7.5, 0.25 * 0.5, 0.25 * -3.5, 0.125 * -8.625,
                                      0.5 * 8.375, 0.375 * -13.625}));
}

constexpr Size rows = 4, experts = 70, top_k = 3;
constexpr double z_factor = 0.375;

/// Random logits as route() takes them, and gradients of what it gives.
template <class Real>
struct GradientCase {
    const Values logits = random_values(rows * experts, "logits");
    Values extra = random_values(experts, "extra");
    Values d_gates = random_values(rows * top_k, "d_gates");
    std::vector<Real> probabilities = as<Real>(logits), log_sum_exp = std::vector<Real>(rows);
    std::vector<std::int32_t> choices = std::vector<std::int32_t>(rows * top_k);

    GradientCase() {
        route(HostQueue(), view(probabilities, rows), log_sum_exp.data(), view(choices, rows));
    }

    std::vector<Real> gradient() {
        auto of_all = as<Real>(extra), of_gates = as<Real>(d_gates);
        std::vector<Real> d(rows * experts, Real(99));
        router_backward<Real>(HostQueue(), view(probabilities, rows), view(choices, rows),
                              view(of_gates, rows), log_sum_exp.data(), of_all.data(), Real(1),
                              Real(z_factor), view(d, rows));
        return d;
    }

    /// Of the probabilities of row n.
    Values probability_gradient(Size n) const {
        Values d = extra;
        for (Size k = n * top_k; k < (n + 1) * top_k; ++k) d[choices[k]] += d_gates[k];
        return d;
    }
};

TYPED_TEST(RoutingGradient, IsThatOfTheFormula) {
    using Real = TypeParam;
    GradientCase<Real> of;
    const auto actual = of.gradient();
    const auto share = [&] {
        Values expected, bounds;
        for (Size n = 0; n < rows; ++n) {
            const Values dp = of.probability_gradient(n);
            const Values p = wide_values(std::vector<Real>(
                &of.probabilities[n * experts], &of.probabilities[n * experts] + experts));
            const auto mean =
                plain_sums({0.0}, 1, experts, [&](Size, Size, Size e) { return p[e] * dp[e]; });
            const double z_term = 2.0 * z_factor * wide(of.log_sum_exp[n]);
            for (Size e = 0; e < experts; ++e) {
                expected.push_back(p[e] * (dp[e] - mean.sums[0] + z_term));
                // The mean: dp itself, a product and experts / 64 + 7 additions a term. All else:
                // dp or the product z_term, at most two additions and the product with p.
                const double size = (experts / 64 + 9) * mean.sizes[0] +
                                    4.0 * (std::abs(dp[e]) + mean.sizes[0] + std::abs(z_term));
                bounds.push_back(higher_orders * roundoff<Real> * p[e] * size);
            }
        }
        return worst_ratio(actual, expected, bounds);
    };
    EXPECT_LE(share(), 1.0);
    std::swap(of.d_gates[1], of.d_gates[2]);
    EXPECT_GT(share(), 1.0) << "the comparison misses two gates that are swapped";
}

/// The part of the loss that one row of logits makes, given the gradient of its probabilities.
double loss_of(const Values& logits, const Values& d_probabilities) {
    double sum = 0.0, loss = 0.0;
    for (const double logit : logits) sum += std::exp(logit);
    for (Size e = 0; e < experts; ++e) loss += d_probabilities[e] * std::exp(logits[e]) / sum;
    return loss + z_factor * std::log(sum) * std::log(sum);
}

/// Central differences are off by h^2 / 6 times the third derivative. With a = d_probabilities, g
/// their mean weighted by p, and L the log_sum_exp, that is (a_e - g) p_e (1 - 6 p_e + 6 p_e^2) +
/// z (6 p_e^2 (1 - p_e) + 2 L p_e (1 - p_e) (1 - 2 p_e)), at most 2 max |a| + 2 z (1 + |L|). Each
/// loss is off by less than 3 E u of its terms' sizes, as |L| > 1 here: E additions in both sums,
/// and some roundings of each exponential.
double difference_bound(double h, double largest_a, double log_sum) {
    const double third = 2.0 * largest_a + 2.0 * z_factor * (1.0 + std::abs(log_sum));
    const double loss =
        3.0 * experts * roundoff<double> * (largest_a + z_factor * log_sum * log_sum);
    return h * h / 6.0 * third + loss / h;
}

TEST(RoutingGradient, IsThatOfFiniteDifferences) {
    constexpr double h = 0x1p-14;
    GradientCase<double> of;
    const auto actual = of.gradient();
    const auto share = [&] {
        Values expected, bounds;
        for (Size n = 0; n < rows; ++n) {
            const Values a = of.probability_gradient(n);
            for (Size e = 0; e < experts; ++e) {
                const auto* row = &of.logits[n * experts];
                Values above(row, row + experts), below = above;
                above[e] += h;
                below[e] -= h;
                expected.push_back((loss_of(above, a) - loss_of(below, a)) / (2.0 * h));
                bounds.push_back(
                    difference_bound(h, largest(a.data(), experts), of.log_sum_exp[n] + h));
            }
        }
        return worst_ratio(actual, expected, bounds);
    };
    EXPECT_LE(share(), 1.0);
    std::swap(of.choices[0], of.choices[1]);
    EXPECT_GT(share(), 1.0) << "the comparison misses two choices that are swapped";
}

// As the caller does for each sequence: another `extra` for rows 1 to 3 alone.
TYPED_TEST(RoutingGradient, RowsOfASequenceHaveItsOwnExtra) {
    using Real = TypeParam;
    GradientCase<Real> of;
    const auto first = of.gradient();
    std::ranges::reverse(of.extra);
    const auto second = of.gradient();
    auto extra = as<Real>(of.extra), of_gates = as<Real>(of.d_gates);
    auto joined = first;
    const auto rest = [](auto& values) {
        const Size columns = static_cast<Size>(values.size()) / rows;
        return matrix(values.data() + columns, rows - 1, columns);
    };
    router_backward<Real>(HostQueue(), rest(of.probabilities), rest(of.choices), rest(of_gates),
                          of.log_sum_exp.data() + 1, extra.data(), Real(1), Real(z_factor),
                          rest(joined));
    auto expected = second;
    std::copy_n(first.begin(), experts, expected.begin());
    EXPECT_EQ(joined, expected);
    EXPECT_NE(joined, second);
}

}  // namespace
}  // namespace shardstone::validation
