// SPDX-License-Identifier: BSD-3-Clause
// The residual addition equals its oracle and keeps more digits than narrow storage would.
#include "kernels/transformer/residual.hpp"

#include "validation/unit/kernels/compare.hpp"

namespace shardstone::validation {
namespace {

template <class S>
class Residual : public testing::Test {};
TYPED_TEST_SUITE(Residual, StorageTypes);

TYPED_TEST(Residual, StreamAndBranchAndBiasAddUpInReal) {
    using S = TypeParam;
    auto outputs = residual_outputs(element_traits<S>::type);
    expect_equal_to_oracle(outputs);
    if constexpr (is_narrow<S>) {
        outputs.front().actual = stored<S>(outputs.front().actual);
        EXPECT_GT(outputs.front().share_of_bound(), 1.0) << "a stream kept in S would pass";
    }
}

}  // namespace
}  // namespace shardstone::validation
