// SPDX-License-Identifier: BSD-3-Clause
#include "kernels/transformer/cross_entropy.hpp"

#include <algorithm>

#include "validation/unit/kernels/compare.hpp"

namespace shardstone::validation {
namespace {

constexpr Size n = 8, classes = 259;
constexpr double scale = 0.25;

const std::vector<std::uint16_t> targets{0, 258, 3, 3, 100, 17, 255, 64};

template <class Real>
class CrossEntropy : public testing::Test {
  protected:
    const Values logits_ = random_values(n * classes, "logits", 5.0);
    /// Error of a row's log-sum-exp: exponents l - max are off by u |l - max| and exp by 4 u, the
    /// sum of V positive terms by (V + 1) u, log by 2 u, adding the maximum by u |result|. With
    /// R = max |l|, both |l - max| and |result| are at most 2 R + log V.
    double log_sum_error(Size r) const {
        const double range =
            2.0 * largest(logits_.data() + r * classes, classes) + std::log(classes);
        return (2.0 * range + classes + 7) * roundoff<Real>;
    }
};
TYPED_TEST_SUITE(CrossEntropy, RealTypes);

TYPED_TEST(CrossEntropy, ForwardAndBackwardEqualOracle) {
    using Real = TypeParam;
    auto logits = as<Real>(this->logits_);
    std::vector<Real> log_sum(n);
    const double loss = cross_entropy_forward<Real>(view(logits, n), targets, log_sum.data());
    double loss_bound = 0.0;
    for (Size r = 0; r < n; ++r) loss_bound += higher_orders * this->log_sum_error(r);
    EXPECT_NEAR(loss, oracle::cross_entropy(this->logits_, targets), loss_bound);

    cross_entropy_backward<Real>(view(logits, n), targets, log_sum.data(), Real(scale));
    // p = exp(l - log_sum): off by the error of log_sum, of the difference (counted there), 4 u of
    // exp and u of the product; then one subtraction at the target.
    const Values p = oracle::softmax(this->logits_, n);
    Values bound(p.size());
    for (Size i = 0; i < n * classes; ++i) {
        const Size r = i / classes;
        const double subtraction = i % classes == targets[r] ? roundoff<Real> : 0.0;
        bound[i] = higher_orders * scale *
                   (p[i] * (2.0 * this->log_sum_error(r) + 5.0 * roundoff<Real>)+subtraction);
    }
    const Values expected = oracle::cross_entropy_gradient(this->logits_, targets, scale);
    EXPECT_LE(worst_ratio(logits, expected, bound), 1.0);

    auto shifted = targets;  // a planted bug: targets of the wrong rows
    std::ranges::rotate(shifted, shifted.begin() + 1);
    const Values wrong = oracle::cross_entropy_gradient(this->logits_, shifted, scale);
    EXPECT_GT(worst_ratio(logits, wrong, bound), 1.0);
}

TYPED_TEST(CrossEntropy, LargeLogitsDoNotOverflow) {
    using Real = TypeParam;
    std::vector<Real> logits{Real(3e4), Real(2e4), Real(-3e4)}, log_sum(1);
    const std::vector<std::uint16_t> first{0};
    EXPECT_EQ(cross_entropy_forward<Real>(view(logits, 1), first, log_sum.data()), 0.0);
}

TYPED_TEST(CrossEntropy, NotANumberShowsInTheLoss) {
    using Real = TypeParam;
    std::vector<Real> logits{1, std::numeric_limits<Real>::quiet_NaN(), 2, 3}, log_sum(1);
    const std::vector<std::uint16_t> first{0};
    EXPECT_TRUE(std::isnan(cross_entropy_forward<Real>(view(logits, 1), first, log_sum.data())));
}

}  // namespace
}  // namespace shardstone::validation
