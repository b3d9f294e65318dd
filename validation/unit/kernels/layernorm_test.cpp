// SPDX-License-Identifier: BSD-3-Clause
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

}  // namespace
}  // namespace shardstone::validation
