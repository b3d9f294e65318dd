// SPDX-License-Identifier: BSD-3-Clause
// AdamW equals its oracle, and sharding a tensor at any element leaves every bit as it was.
#include "kernels/optimizer/adamw.hpp"

#include <array>

#include "validation/unit/kernels/compare.hpp"

namespace shardstone::validation {
namespace {

constexpr Size count = 10007;
constexpr AdamwSettings settings{0.9, 0.95, 1e-8, 0.1};
constexpr double learning_rate = 1e-2;

template <class Real>
struct Parameters {
    std::vector<Real> weights = as<Real>(random_values(count, "weights"));
    std::vector<Real> first = std::vector<Real>(count), second = std::vector<Real>(count);

    void update(int step, const std::vector<Real>& gradients, std::size_t begin, std::size_t end,
                double scale = 1.0) {
        const auto part = [&](auto& values) {
            return std::span(values).subspan(begin, end - begin);
        };
        const UpdateFactors factors{.gradient_scale = scale};
        adamw_update<Real>(HostQueue(), settings, {step, learning_rate, FactorsAt(&factors)},
                           {part(weights), part(gradients), part(first), part(second)});
    }
};

template <class Real>
class Adamw : public testing::Test {
  protected:
    static std::vector<Real> gradients(int step) {
        return as<Real>(random_values(count, "gradients " + std::to_string(step)));
    }
};
TYPED_TEST_SUITE(Adamw, RealTypes);

TYPED_TEST(Adamw, StepsEqualOracle) {
    expect_equal_to_oracle(adamw_outputs(element_traits<TypeParam>::type));
}

TYPED_TEST(Adamw, AnySplitOfTheRangeGivesTheSameBits) {
    Parameters<TypeParam> whole, split;
    const auto g = TestFixture::gradients(1);
    whole.update(1, g, 0, count, 0.5);
    for (const auto [begin, end] : {std::array<std::size_t, 2>{0, 1}, {1, 4100}, {4100, count}}) {
        split.update(1, g, begin, end, 0.5);
    }
    EXPECT_EQ(whole.weights, split.weights);
    EXPECT_EQ(whole.first, split.first);
    EXPECT_EQ(whole.second, split.second);
}

// Why losses alone prove nothing: AdamW hides a constant factor of the gradients (up to epsilon),
// and only the moments show it.
TYPED_TEST(Adamw, GradientScaleShowsInTheMomentsAlone) {
    Parameters<TypeParam> once, twice;
    const auto g = TestFixture::gradients(1);
    once.update(1, g, 0, count, 1.0);
    twice.update(1, g, 0, count, 2.0);
    for (std::size_t i = 0; i < once.weights.size(); ++i) {
        EXPECT_NEAR(once.weights[i], twice.weights[i], 1e-5);  // epsilon / |g| of the step
        EXPECT_EQ(TypeParam(2) * once.first[i], twice.first[i]);
    }
}

}  // namespace
}  // namespace shardstone::validation
