// SPDX-License-Identifier: BSD-3-Clause
// Cross-entropy equals its oracle, fused or with the vocabulary sharded over tensor ranks.
#include "kernels/transformer/cross_entropy.hpp"

#include <algorithm>

#include "validation/numerics/kernels/cross_entropy_bounds.hpp"
#include "validation/unit/kernels/compare.hpp"

namespace shardstone::validation {
namespace {

template <class S>
class StoredCrossEntropy : public testing::Test {};
TYPED_TEST_SUITE(StoredCrossEntropy, StorageTypes);

TYPED_TEST(StoredCrossEntropy, ForwardAndBackwardEqualOracle) {
    auto outputs = cross_entropy_outputs(element_traits<TypeParam>::type);
    expect_equal_to_oracle(outputs);
    const CrossEntropyCase<TypeParam> of;
    auto shifted = of.targets;  // a planted bug: targets of the wrong rows
    std::ranges::rotate(shifted, shifted.begin() + 1);
    outputs.back().expected = oracle::cross_entropy_gradient(of.logits, shifted, of.scale);
    EXPECT_GT(outputs.back().share_of_bound(), 1.0);
}

template <class Real>
class CrossEntropy : public testing::Test {
  protected:
    const CrossEntropyCase<Real> case_;
    const Values& logits_ = case_.logits;
    double loss_bound() const { return case_.loss_bound(); }
    Values gradient_bound() const { return case_.gradient_bound(); }
};
TYPED_TEST_SUITE(CrossEntropy, RealTypes);

constexpr Size n = CrossEntropyCase<float>::n, classes = CrossEntropyCase<float>::classes;
constexpr double scale = CrossEntropyCase<float>::scale;
const std::vector<std::int32_t> targets = CrossEntropyCase<float>().targets;

/// The whole path of a vocabulary-parallel head: what each shard of the columns computes, and the
/// reductions in between.
template <class Real>
struct Sharded {
    std::vector<Real> maximum, sums, target_logits, log_sum;
    double loss = 0.0;
    Values gradient;

    /// Shards begin at these columns; the last one ends at `end`.
    Sharded(std::vector<Real> logits, std::vector<Size> begins, Size end)
        : maximum(n, -std::numeric_limits<Real>::infinity()),
          sums(n),
          target_logits(n),
          log_sum(n),
          gradient(logits.size()) {
        const Size columns = static_cast<Size>(logits.size()) / n;
        begins.push_back(end);
        const auto of_shards = [&](const auto& f) {
            for (std::size_t s = 0; s + 1 < begins.size(); ++s) {
                f(begins[s],
                  Matrix<Real>{logits.data() + begins[s], n, begins[s + 1] - begins[s], columns});
            }
        };
        std::vector<Real> own(n), own_target(n);
        of_shards([&](Size, Matrix<Real> shard) {
            logits_maximum<Real>(HostQueue(), shard, own.data());
            for (Size r = 0; r < n; ++r) maximum[r] = std::max(maximum[r], own[r]);
        });
        of_shards([&](Size first, Matrix<Real> shard) {
            logits_sums<Real>(HostQueue(), shard, targets, first, maximum.data(), own.data(),
                              own_target.data());
            for (Size r = 0; r < n; ++r) sums[r] += own[r];
            for (Size r = 0; r < n; ++r) target_logits[r] += own_target[r];
        });
        cross_entropy_of_sums<Real>(HostQueue(), targets, maximum.data(), sums.data(),
                                    target_logits.data(), log_sum.data(), &loss);
        of_shards([&](Size first, Matrix<Real> shard) {
            cross_entropy_backward<Real>(HostQueue(), shard, targets, log_sum.data(), Real(scale),
                                         first);
        });
        std::ranges::copy(logits, gradient.begin());
    }
};

const std::vector<std::vector<Size>> shardings{
    {0}, {0, 130}, {0, 87, 173}, {0, 1, 1, 101, 258}};  // one shard of five is empty

// The bounds are those of the fused kernel: they hold for a sum of V terms in any order.
TYPED_TEST(CrossEntropy, ShardsOfTheVocabularyEqualOracle) {
    using Real = TypeParam;
    const double loss = oracle::cross_entropy(this->logits_, targets);
    const Values gradient = oracle::cross_entropy_gradient(this->logits_, targets, scale);
    for (const auto& begins : shardings) {
        SCOPED_TRACE(std::to_string(begins.size()) + " shards");
        const Sharded<Real> sharded(as<Real>(this->logits_), begins, classes);
        EXPECT_NEAR(sharded.loss, loss, this->loss_bound());
        EXPECT_LE(worst_ratio(sharded.gradient, gradient, this->gradient_bound()), 1.0);
    }
}

TYPED_TEST(CrossEntropy, OneShardGivesTheBitsOfTheFusedKernel) {
    using Real = TypeParam;
    auto logits = as<Real>(this->logits_);
    const Sharded<Real> sharded(logits, {0}, classes);
    std::vector<Real> log_sum(n);
    double loss = 0.0;
    cross_entropy_forward<Real>(HostQueue(), view(logits, n), targets, log_sum.data(), &loss);
    EXPECT_EQ(loss, sharded.loss);
    EXPECT_EQ(log_sum, sharded.log_sum);
    cross_entropy_backward<Real>(HostQueue(), view(logits, n), targets, log_sum.data(),
                                 Real(scale));
    EXPECT_EQ(Values(logits.begin(), logits.end()), sharded.gradient);
}

// A planted bug: a vocabulary padded to a whole multiple of the shards, whose padding counts.
TYPED_TEST(CrossEntropy, PaddingColumnsThatCountAreSeen) {
    using Real = TypeParam;
    std::vector<Real> padded(n * (classes + 1), Real(10));
    for (Size r = 0; r < n; ++r) {
        std::copy_n(this->logits_.begin() + r * classes, classes,
                    padded.begin() + r * (classes + 1));
    }
    const double loss = oracle::cross_entropy(this->logits_, targets);
    EXPECT_NEAR(Sharded<Real>(padded, {0, 130}, classes).loss, loss, this->loss_bound());
    EXPECT_GT(std::abs(Sharded<Real>(padded, {0, 130}, classes + 1).loss - loss),
              this->loss_bound());
}

// Any negative target is safe, whatever columns a shard begins with.
TYPED_TEST(CrossEntropy, IgnoredRowsHaveNoLossAndNoGradient) {
    using Real = TypeParam;
    for (const Size first : {Size{0}, Size{40000}}) {
        std::vector<Real> logits{1, 2, 3, 4, 5, 6}, maximum(2), sums(2), of_target(2), log_sum(2);
        const std::vector<std::int32_t> none{ignored_target, -40000};
        logits_maximum<Real>(HostQueue(), view(logits, 2), maximum.data());
        logits_sums<Real>(HostQueue(), view(logits, 2), none, first, maximum.data(), sums.data(),
                          of_target.data());
        EXPECT_EQ(of_target, (std::vector<Real>{0, 0}));
        double loss = 7.0;  // is added to
        cross_entropy_of_sums<Real>(HostQueue(), none, maximum.data(), sums.data(),
                                    of_target.data(), log_sum.data(), &loss);
        cross_entropy_forward<Real>(HostQueue(), view(logits, 2), none, log_sum.data(), &loss);
        EXPECT_EQ(loss, 7.0);
        cross_entropy_backward<Real>(HostQueue(), view(logits, 2), none, log_sum.data(), Real(1),
                                     first);
        EXPECT_EQ(logits, std::vector<Real>(6));
    }
}

TYPED_TEST(CrossEntropy, LargeLogitsDoNotOverflow) {
    using Real = TypeParam;
    std::vector<Real> logits{Real(3e4), Real(2e4), Real(-3e4)}, log_sum(1);
    const std::vector<std::int32_t> first{0};
    double loss = 0.0;
    cross_entropy_forward<Real>(HostQueue(), view(logits, 1), first, log_sum.data(), &loss);
    EXPECT_EQ(loss, 0.0);
}

TYPED_TEST(CrossEntropy, NotANumberShowsInTheLoss) {
    using Real = TypeParam;
    std::vector<Real> logits{1, std::numeric_limits<Real>::quiet_NaN(), 2, 3}, log_sum(1);
    const std::vector<std::int32_t> first{0};
    double loss = 0.0;
    cross_entropy_forward<Real>(HostQueue(), view(logits, 1), first, log_sum.data(), &loss);
    EXPECT_TRUE(std::isnan(loss));
}

}  // namespace
}  // namespace shardstone::validation
