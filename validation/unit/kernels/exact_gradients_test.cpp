// SPDX-License-Identifier: BSD-3-Clause
// Gradients go into exact sums and come out of them; those that do not fit are counted.
#include "kernels/optimizer/exact_gradients.hpp"

#include <cstdint>
#include <limits>
#include <vector>

#include "validation/unit/kernels/compare.hpp"

namespace shardstone::validation {
namespace {

template <class Real>
class ExactGradients : public testing::Test {};
TYPED_TEST_SUITE(ExactGradients, RealTypes);

TYPED_TEST(ExactGradients, AreMovedAndCounted) {
    using Real = TypeParam;
    constexpr Real nan = std::numeric_limits<Real>::quiet_NaN();
    std::vector<Real> gradients{1.5, -2, 1024, nan, 3}, rounded(5);
    std::vector<ExactPair> sums(5, ExactPair{10, 0});
    std::int64_t lost = 7;  // is added to
    move_to_exact_sums<Real>(HostQueue(), gradients, 1000.0, sums, lost);
    EXPECT_EQ(lost, 9);
    EXPECT_EQ(gradients, std::vector<Real>(5, Real(0)));
    round_exact_sums<Real>(HostQueue(), sums, rounded);
    EXPECT_EQ(rounded, (std::vector<Real>{11.5, 8, 10, 10, 13}));
}

TEST(ExactSums, AreAddedWordByWord) {
    std::vector<ExactPair> sums{{1, 0x1p-60}, {2, 0}};
    const std::vector<ExactPair> others{{4, 0x1p-61}, {-2, 0x1p-62}};
    add_exact_sums(HostQueue(), others, sums);
    EXPECT_EQ(sums[0].high, 5.0);
    EXPECT_EQ(sums[0].low, 0x1p-60 + 0x1p-61);
    EXPECT_EQ(sums[1].high, 0.0);
    EXPECT_EQ(sums[1].low, 0x1p-62);
}

}  // namespace
}  // namespace shardstone::validation
