// SPDX-License-Identifier: BSD-3-Clause
#include "kernels/transformer/embedding.hpp"

#include "validation/unit/kernels/compare.hpp"

namespace shardstone::validation {
namespace {

template <class Real>
class Embedding : public testing::Test {};
TYPED_TEST_SUITE(Embedding, RealTypes);

// Whole numbers: every sum is exact, so equality is exact too. Token 2 comes twice.
TYPED_TEST(Embedding, ForwardAndBackwardAreExactOnWholeNumbers) {
    using Real = TypeParam;
    const std::vector<std::uint16_t> tokens{2, 0, 1, 2};  // (B, T) = (2, 2)
    std::vector<Real> tokens_table{1, 2, 3, 4, 5, 6}, positions{10, 20, 30, 40}, out(8);
    embedding_forward<Real>(tokens, 2, view(tokens_table, 3), view(positions, 2), view(out, 4));
    EXPECT_EQ(out, (std::vector<Real>{15, 26, 31, 42, 13, 24, 35, 46}));

    std::vector<Real> d_out{1, 2, 3, 4, 5, 6, 7, 8}, d_tokens(6, Real(100)), d_positions(4);
    embedding_backward<Real>(tokens, 2, view(d_out, 4), view(d_tokens, 3), view(d_positions, 2));
    EXPECT_EQ(d_tokens, (std::vector<Real>{103, 104, 105, 106, 108, 110}));
    EXPECT_EQ(d_positions, (std::vector<Real>{6, 8, 10, 12}));
}

}  // namespace
}  // namespace shardstone::validation
