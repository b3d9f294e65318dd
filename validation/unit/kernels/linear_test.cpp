// SPDX-License-Identifier: BSD-3-Clause
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
    gemm<S>(1, view(a, 2), transpose(view(b, 2)), 0, view(c, 2));
    EXPECT_EQ(c, (std::vector<Real>{17, 23, 39, 53}));
    gemm<S>(2, transpose(view(a, 2)), view(b, 2), 1, view(c, 2));
    EXPECT_EQ(c, (std::vector<Real>{17 + 52, 23 + 60, 39 + 76, 53 + 88}));
}

}  // namespace
}  // namespace shardstone::validation
