// SPDX-License-Identifier: BSD-3-Clause
// Embeddings are exact on whole numbers, and shards of the vocabulary add up to the whole table.
#include "kernels/transformer/embedding.hpp"

#include <numeric>

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
    const std::vector<std::int64_t> both{0, 1};
    std::vector<Real> table{1, 2, 3, 4, 5, 6}, positions{10, 20, 30, 40}, out(8, Real(-1));
    token_embedding_forward<Real>(HostQueue(), tokens, 0, view(table, 3), view(out, 4));
    EXPECT_EQ(out, (std::vector<Real>{5, 6, 1, 2, 3, 4, 5, 6}));
    position_embedding_forward<Real>(HostQueue(), 0, both, view(positions, 2), view(out, 4));
    EXPECT_EQ(out, (std::vector<Real>{15, 26, 31, 42, 13, 24, 35, 46}));

    std::vector<Real> d_out{1, 2, 3, 4, 5, 6, 7, 8}, d_table(6, Real(100)), d_positions(4);
    token_embedding_backward<Real>(HostQueue(), tokens, 0, view(d_out, 4), view(d_table, 3));
    EXPECT_EQ(d_table, (std::vector<Real>{103, 104, 105, 106, 108, 110}));
    position_embedding_backward<Real>(HostQueue(), 0, both, view(d_out, 4), view(d_positions, 2));
    EXPECT_EQ(d_positions, (std::vector<Real>{6, 8, 10, 12}));
}

constexpr Size rows = 60, vocabulary = 11, channels = 5, sequence = 6;

std::vector<std::uint16_t> some_tokens() {
    std::vector<std::uint16_t> tokens;
    for (Size r = 0; r < rows; ++r) {
        tokens.push_back(static_cast<std::uint16_t>(r * r % vocabulary));
    }
    return tokens;
}

/// Rows of a table: those of the whole one from `first` on.
template <class Real>
std::vector<Real> rows_of(const std::vector<Real>& whole, Size first, Size count) {
    return {whole.begin() + first * channels, whole.begin() + (first + count) * channels};
}

/// Forward and backward passes over shards of the vocabulary that begin at these tokens; `shift`
/// is a planted bug in where the shards take themselves to begin.
template <class Real>
bool shards_equal_the_whole(const std::vector<Size>& begins, Size shift) {
    const auto tokens = some_tokens();
    auto table = as<Real>(random_values(vocabulary * channels, "table"));
    auto d_out = as<Real>(random_values(rows * channels, "d_out"));
    std::vector<Real> out(rows * channels), d_table(table.size());
    token_embedding_forward<Real>(HostQueue(), tokens, 0, view(table, vocabulary), view(out, rows));
    token_embedding_backward<Real>(HostQueue(), tokens, 0, view(d_out, rows),
                                   view(d_table, vocabulary));

    std::vector<Real> sum(out.size()), gradients;
    for (std::size_t s = 0; s < begins.size(); ++s) {
        const Size begin = begins[s];
        const Size count = (s + 1 < begins.size() ? begins[s + 1] : vocabulary) - begin;
        auto shard = rows_of(table, begin, count);
        std::vector<Real> part(out.size(), Real(7)), d_shard(shard.size());
        const Matrix<Real> shard_view = matrix(shard.data(), count, channels);
        token_embedding_forward<Real>(HostQueue(), tokens, begin + shift, shard_view,
                                      view(part, rows));
        for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += part[i];
        token_embedding_backward<Real>(HostQueue(), tokens, begin + shift, view(d_out, rows),
                                       matrix(d_shard.data(), count, channels));
        gradients.insert(gradients.end(), d_shard.begin(), d_shard.end());
    }
    return sum == out && gradients == d_table;
}

TYPED_TEST(Embedding, ShardsOfTheVocabularyAddUpToTheWhole) {
    using Real = TypeParam;
    for (const auto& begins : std::vector<std::vector<Size>>{
             {0}, {0, 6}, {0, 4, 8}, {0, 1, 1, 7, 10}}) {  // one shard is empty
        EXPECT_TRUE(shards_equal_the_whole<Real>(begins, 0)) << begins.size() << " shards";
    }
    EXPECT_FALSE(shards_equal_the_whole<Real>({0, 4, 8}, 1));
}

TYPED_TEST(Embedding, ShardsOfTheRowsGetTheirOwnPositions) {
    using Real = TypeParam;
    auto table = as<Real>(random_values(sequence * channels, "positions"));
    auto d_out = as<Real>(random_values(rows * channels, "d_out"));
    std::vector<Real> whole(rows * channels, Real(1)), d_whole(table.size());
    std::vector<std::int64_t> all(sequence);
    std::iota(all.begin(), all.end(), 0);
    position_embedding_forward<Real>(HostQueue(), 0, all, view(table, sequence), view(whole, rows));
    position_embedding_backward<Real>(HostQueue(), 0, all, view(d_out, rows),
                                      view(d_whole, sequence));

    std::vector<Real> joined, d_table(table.size());
    const std::vector<Size> begins{0, 13, 17, 40, rows};
    for (std::size_t s = 0; s + 1 < begins.size(); ++s) {
        const Size first = begins[s], count = begins[s + 1] - first;
        std::vector<Real> part(count * channels, Real(1));
        auto d_part = rows_of(d_out, first, count);
        position_embedding_forward<Real>(HostQueue(), first, all, view(table, sequence),
                                         view(part, count));
        joined.insert(joined.end(), part.begin(), part.end());
        position_embedding_backward<Real>(HostQueue(), first, all, view(d_part, count),
                                          view(d_table, sequence));
    }
    EXPECT_EQ(joined, whole);
    EXPECT_EQ(d_table, d_whole);

    std::vector<Real> from_zero(channels, Real(1));  // a planted bug: a shard that counts from 0
    position_embedding_forward<Real>(HostQueue(), 0, all, view(table, sequence),
                                     view(from_zero, 1));
    EXPECT_NE(from_zero, rows_of(whole, 13, 1));
}

// Positions 0 and 3 of four, as a rank has them that shares its sequences with others.
TYPED_TEST(Embedding, RowsHaveThePositionsThatAreGiven) {
    using Real = TypeParam;
    const std::vector<std::int64_t> ends{0, 3};
    std::vector<Real> table{1, 2, 3, 4, 5, 6, 7, 8}, out(8, Real(10)), d_table(8);
    position_embedding_forward<Real>(HostQueue(), 0, ends, view(table, 4), view(out, 4));
    EXPECT_EQ(out, (std::vector<Real>{11, 12, 17, 18, 11, 12, 17, 18}));
    position_embedding_backward<Real>(HostQueue(), 0, ends, view(table, 4), view(d_table, 4));
    EXPECT_EQ(d_table, (std::vector<Real>{6, 8, 0, 0, 0, 0, 10, 12}));
    std::vector<Real> last(2);
    position_embedding_forward<Real>(HostQueue(), 3, ends, view(table, 4), view(last, 1));
    EXPECT_EQ(last, (std::vector<Real>{7, 8}));
}

}  // namespace
}  // namespace shardstone::validation
