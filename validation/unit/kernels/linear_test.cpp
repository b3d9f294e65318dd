// SPDX-License-Identifier: BSD-3-Clause
// Linear layers equal their oracle, overwrite or accumulate as asked, and add rows in order.
#include "kernels/transformer/linear.hpp"

#include "kernels/gemm/gemm.hpp"
#include "validation/unit/kernels/compare.hpp"

namespace shardstone::validation {
namespace {

template <class S>
class Linear : public testing::Test {};
TYPED_TEST_SUITE(Linear, StorageTypes);

TYPED_TEST(Linear, EqualsOracleAndAccumulates) {
    expect_equal_to_oracle(linear_outputs(element_traits<TypeParam>::type));
    expect_seen(linear_outputs(element_traits<TypeParam>::type, Planted::no_bias_gradient),
                {"d_bias"});
}

// beta = 0 must not read C, or NaNs of uninitialised memory would spread.
TYPED_TEST(Linear, ProductNeverReadsWhatItOverwrites) {
    using S = TypeParam;
    using Real = compute_t<S>;
    auto a = as<S>({1, 2, 3, 4}), b = as<S>({5, 6, 7, 8});
    std::vector<Real> c(4, std::numeric_limits<Real>::quiet_NaN());
    gemm<S>(HostQueue(), 1, view(a, 2), transpose(view(b, 2)), 0, view(c, 2));
    EXPECT_EQ(c, (std::vector<Real>{17, 23, 39, 53}));
    gemm<S>(HostQueue(), 2, transpose(view(a, 2)), view(b, 2), 1, view(c, 2));
    EXPECT_EQ(c, (std::vector<Real>{17 + 52, 23 + 60, 39 + 76, 53 + 88}));
}

// Rows are added one after the other, however many are given at once.
TYPED_TEST(Linear, BiasAddsRowsInOrder) {
    using S = TypeParam;
    constexpr Size rows = 11, columns = 70;
    auto d_out = as<S>(random_values(rows * columns, "d_out"));
    std::vector<compute_t<S>> d_bias(columns), in_turn(columns);
    bias_backward<S>(HostQueue(), view(d_out, rows), d_bias.data());
    for (Size r = 0; r < rows; ++r) {
        bias_backward<S>(HostQueue(), matrix(d_out.data() + r * columns, 1, columns),
                         in_turn.data());
    }
    EXPECT_EQ(d_bias, in_turn);
}

}  // namespace
}  // namespace shardstone::validation
