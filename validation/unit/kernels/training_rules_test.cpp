// SPDX-License-Identifier: BSD-3-Clause
// Schedule, norm, clipping and optimizers against the rules that the serial trainer goes by
// (validation/oracle/update_rules.hpp): equal to the last bit, over many steps.
#include <array>

#include "kernels/optimizer/learning_rate.hpp"
#include "kernels/optimizer/optimizer.hpp"
#include "validation/oracle/random.hpp"
#include "validation/oracle/update_rules.hpp"
#include "validation/unit/kernels/compare.hpp"

namespace shardstone::validation {
namespace {

using Kind = OptimizerKind;

TEST(Philox, GivesThePublishedNumbers) {
    using Words = std::array<std::uint32_t, 4>;
    // Random123 1.09, tests/kat_vectors: philox4x32 10.
    EXPECT_EQ(oracle::philox_words(0, 0, 0),
              (Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
    const std::uint64_t ones = ~std::uint64_t{0};
    EXPECT_EQ(oracle::philox_words(ones, ones, ones),
              (Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
    EXPECT_EQ(oracle::philox_words(0x299f31d0a4093822, 0x0370734413198a2e, 0x85a308d3243f6a88),
              (Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(LearningRateRule, HoldsInEveryStep) {
    for (const std::int64_t warmup : {0, 1, 7, 40}) {
        for (const bool falls : {false, true}) {
            const LearningRate rate{
                .peak = 0.37,
                .floor = 0.011,
                .warmup_steps = warmup,
                .total_steps = 40,
                .shape = falls ? LearningRate::Shape::cosine : LearningRate::Shape::constant};
            const oracle::RateRule rule{0.37, 0.011, warmup, 40, falls};
            for (std::int64_t step = 1; step <= 45; ++step) {
                ASSERT_EQ(rate.at(step), oracle::rate_at(rule, step))
                    << "step " << step << ", warm-up " << warmup << ", falls " << falls;
            }
        }
    }
}

TEST(ClippingRule, Holds) {
    for (const double norm : {0.0, 0.3, 0.5, 0.50001, 7.0, 1e9, HUGE_VAL}) {
        for (const double limit : {0.0, 0.5, 100.0}) {
            const double factor = clipping_factor(norm, limit);
            const double expected = oracle::clipping(norm, limit);
            EXPECT_TRUE(factor == expected || (std::isnan(factor) && std::isnan(expected)))
                << norm << " with limit " << limit;
        }
    }
}

template <class Real>
class UpdateRule : public testing::Test {
  protected:
    static constexpr Size count = 1003;

    struct State {
        std::vector<Real> weights = as<Real>(random_values(count, "weights"));
        std::vector<Real> first = std::vector<Real>(count), second = std::vector<Real>(count);
        void expect_equal(const State& other, const std::string& what) const {
            EXPECT_EQ(weights, other.weights) << "weights, " << what;
            EXPECT_EQ(first, other.first) << "first moments, " << what;
            EXPECT_EQ(second, other.second) << "second moments, " << what;
        }
    };

    /// As the trainer updates one tensor.
    static void update(const OptimizerSettings& settings, OptimizerStep now, double scale,
                       bool adapts, State& state, const std::vector<Real>& gradients) {
        const UpdateFactors factors{.gradient_scale = scale};
        now.factors = FactorsAt(&factors);
        const int moments = traits_of(settings.kind).moments;
        const ParameterRange<Real> range{state.weights, gradients,
                                         moments > 0 ? std::span(state.first) : std::span<Real>(),
                                         moments > 1 ? std::span(state.second) : std::span<Real>()};
        double ratio = 1.0;
        prepare_update(HostQueue(), settings, now, range);
        if (adapts && traits_of(settings.kind).adapts) {
            TensorSquares squares;
            add_squares(HostQueue(), settings, now, range, squares);
            trust_ratios(HostQueue(), settings, now, {&squares, 1}, {&ratio, 1});
            now.factors = FactorsAt(&factors, &ratio);
        }
        update_range(HostQueue(), settings, now, range);
    }
};
TYPED_TEST_SUITE(UpdateRule, RealTypes);

TYPED_TEST(UpdateRule, HoldsForEveryOptimizer) {
    using Real = TypeParam;
    using Tensor = typename TestFixture::State;
    const std::array<std::pair<Kind, oracle::Method>, 6> kinds{
        {{Kind::adamw, oracle::Method::adamw},
         {Kind::sgd, oracle::Method::sgd},
         {Kind::momentum, oracle::Method::momentum},
         {Kind::nesterov, oracle::Method::nesterov},
         {Kind::lamb, oracle::Method::lamb},
         {Kind::lars, oracle::Method::lars}}};
    for (const auto& [kind, method] : kinds) {
        for (const bool matrix : {false, true}) {
            Tensor ours, plain;
            for (int step = 1; step <= 12; ++step) {
                const auto g =
                    as<Real>(random_values(TestFixture::count, "g" + std::to_string(step)));
                const double rate = 0.03 / step, clip = step % 2 == 0 ? 1.0 : 0.7;
                const double decay = matrix ? 0.13 : 0.0;
                TestFixture::update({kind, 0.85, 0.97, 0.81, 0.02}, {step, rate, decay}, clip,
                                    matrix, ours, g);
                oracle::update<Real>({.method = method,
                                      .step = step,
                                      .rate = rate,
                                      .clip = clip,
                                      .decay = decay,
                                      .matrix = matrix,
                                      .beta1 = 0.85,
                                      .beta2 = 0.97,
                                      .momentum = 0.81,
                                      .trust = 0.02},
                                     {plain.weights, g, plain.first, plain.second});
            }
            ours.expect_equal(plain, to_string(kind) + (matrix ? ", matrix" : ", vector"));
        }
    }
}

TYPED_TEST(UpdateRule, NormsAreEqual) {
    using Real = TypeParam;
    for (const double size : {1e-12, 1e-4, 1.0}) {
        const auto values = as<Real>(random_values(TestFixture::count, "values", size));
        const auto half = std::ssize(values) / 2;
        SquareSum sum;
        oracle::Norm norm;
        for (const auto part : {std::span(values).first(half), std::span(values).subspan(half)}) {
            sum.add(std::span<const Real>(part));
            norm.add(std::span<const Real>(part));
        }
        EXPECT_EQ(std::sqrt(sum.value()), norm.value()) << "numbers of size " << size;
    }
    const std::vector<Real> undefined{Real(1), std::numeric_limits<Real>::quiet_NaN()};
    oracle::Norm norm;
    norm.add(std::span<const Real>(undefined));
    EXPECT_TRUE(std::isnan(norm.value()));
}

}  // namespace
}  // namespace shardstone::validation
