// SPDX-License-Identifier: BSD-3-Clause
// LayerNorm equals its oracle, and its parameters' gradients do not depend on how rows are split.
#include "kernels/transformer/layernorm.hpp"

#include "validation/unit/kernels/compare.hpp"

namespace shardstone::validation {
namespace {

template <class S>
class Layernorm : public testing::Test {};
TYPED_TEST_SUITE(Layernorm, StorageTypes);

TYPED_TEST(Layernorm, EqualsOracleAndAdds) {
    constexpr ElementType type = element_traits<TypeParam>::type;
    expect_equal_to_oracle(layernorm_outputs(type));
    expect_seen(layernorm_outputs(type, Planted::layernorm_without_mean_term), {"d_x"});
    expect_seen(layernorm_outputs(type, Planted::layernorm_without_variance_term), {"d_x"});
}

// Rows are added one after the other, however many are given at once: a batch in two parts has the
// gradients of the whole, to the bit.
TYPED_TEST(Layernorm, ParametersAddRowsInOrder) {
    using S = TypeParam;
    using Real = compute_t<S>;
    constexpr Size rows = 11, channels = 70;
    auto x = as<Real>(random_values(rows * channels, "x"));
    auto d_out = as<Real>(random_values(rows * channels, "d_out"));
    const std::vector<Real> mean(rows, Real(0.1)), rstd(rows, Real(1.3));
    const std::vector<S> weight(channels, S(Real(1)));
    std::vector<Real> d_weight(channels), d_bias(channels);
    layernorm_backward_parameters<S>(HostQueue(),
                                     {view(x, rows), weight.data(), mean.data(), rstd.data()},
                                     view(d_out, rows), d_weight.data(), d_bias.data());
    std::vector<Real> weight_in_turn(channels), bias_in_turn(channels);
    for (Size r = 0; r < rows; ++r) {
        const auto row = [&](const std::vector<Real>& of) {
            return matrix(of.data() + r * channels, 1, channels);
        };
        layernorm_backward_parameters<S>(HostQueue(), {row(x), weight.data(), &mean[r], &rstd[r]},
                                         row(d_out), weight_in_turn.data(), bias_in_turn.data());
    }
    EXPECT_EQ(d_weight, weight_in_turn);
    EXPECT_EQ(d_bias, bias_in_turn);
}

}  // namespace
}  // namespace shardstone::validation
