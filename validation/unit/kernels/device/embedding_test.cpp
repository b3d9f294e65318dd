// SPDX-License-Identifier: BSD-3-Clause
// Embeddings on the device give the host's bits: every sum there is over the same rows in their
// order.
#include "kernels/transformer/embedding.hpp"

#include <cmath>
#include <cstring>
#include <utility>

#include "validation/numerics/kernels/located.hpp"
#include "validation/unit/kernels/compare.hpp"
#include "validation/unit/kernels/device/needs_gpu.hpp"

namespace shardstone::validation {
namespace {

using DeviceEmbedding = OnDevice;

template <class Space, class T>
auto part(Matrix<T, Space> whole, Size first, Size columns) {
    return whole.columns_from(first, columns);
}

template <class T>
std::vector<T> numbers(Size count, const std::string& name) {
    return as<T>(random_values(count, name));
}

template <class T>
std::vector<std::uint16_t> bits_of(const std::vector<T>& values) {
    std::vector<std::uint16_t> bits(values.size() * sizeof(T) / 2);
    std::memcpy(bits.data(), values.data(), values.size() * sizeof(T));
    return bits;
}

/// As frequent as words are: the first ones of the vocabulary most.
std::vector<std::uint16_t> words(Size count, Size vocabulary) {
    const RandomStream stream(7, "words");
    std::vector<std::uint16_t> tokens;
    for (Size i = 0; i < count; ++i) {
        const double normal = std::abs(stream.normal(static_cast<std::uint64_t>(i)));
        const double at = std::pow(static_cast<double>(vocabulary), std::min(normal / 2.0, 1.0));
        tokens.push_back(static_cast<std::uint16_t>(std::min<double>(at, vocabulary) - 1.0));
    }
    return tokens;
}

/// Of rows, the rest of which a kernel must leave alone.
struct Columns {
    Size first, count, leading;
};
// In packs of every type; not in packs; one; where none are aligned; more than a block has.
const std::vector<Columns> some_columns{
    {8, 24, 40}, {0, 5, 5}, {3, 1, 7}, {1, 8, 16}, {0, 300, 300}};

template <class S, class R>
void expect_forward_of_the_host(const Columns& columns) {
    const auto& [first, count, leading] = columns;
    constexpr Size rows = 37, vocabulary = 11, sequence = 5, first_row = 13;
    const HostQueue host;
    const CudaQueue queue;
    const auto tokens = words(rows, vocabulary + 4);  // some of them are of another shard
    const std::vector<std::int64_t> positions{4, 0, 1, 3, 2};
    auto table = numbers<S>(vocabulary * leading, "table");
    auto out = numbers<R>(rows * leading, "out");
    const Located<std::uint16_t, Cuda> its_tokens(tokens);
    const Located<std::int64_t, Cuda> its_positions(positions);
    const Located<S, Cuda> its_table(table);
    Located<R, Cuda> its_out(out);
    const Matrix<const S> host_table = part(view(table, vocabulary), first, count);
    const Matrix<const S, Cuda> device_table = part(its_table.view(vocabulary), first, count);
    const auto host_out = part(view(out, rows), first, count);
    const auto device_out = part(its_out.view(rows), first, count);
    token_embedding_forward<S, R>(host, tokens, 2, host_table, host_out);
    token_embedding_forward<S, R>(queue, its_tokens.span(), 2, device_table, device_out);
    EXPECT_EQ(bits_of(its_out.read()), bits_of(out));
    position_embedding_forward<S, R>(host, first_row, positions, host_table.rows_from(0, sequence),
                                     host_out);
    position_embedding_forward<S, R>(queue, first_row, its_positions.span(),
                                     device_table.rows_from(0, sequence), device_out);
    EXPECT_EQ(bits_of(its_out.read()), bits_of(out));
}

TEST_F(DeviceEmbedding, ForwardGivesTheBitsOfTheHost) {
    for (const Columns& columns : some_columns) {
        SCOPED_TRACE(columns.count);
        expect_forward_of_the_host<float, float>(columns);
        expect_forward_of_the_host<bf16, float>(columns);
        expect_forward_of_the_host<fp16, float>(columns);
        expect_forward_of_the_host<bf16, bf16>(columns);
    }
}

struct TokenCase {
    Size rows, vocabulary, first_token;
    Columns columns;
    Size first_row = 0;  ///< of the tokens: where none are aligned
};

/// Of a planted bug, the device is given one token of another row.
template <class R>
bool tokens_give_the_bits_of_the_host(const TokenCase& of, std::vector<std::uint16_t> tokens,
                                      bool is_planted = false) {
    const auto& [first, count, leading] = of.columns;
    const auto used = static_cast<std::size_t>(of.rows);
    const auto skipped = static_cast<std::size_t>(of.first_row);
    auto d_out = numbers<R>(of.rows * leading, "d_out");
    auto d_table = numbers<float>(of.vocabulary * leading, "d_table");
    Located<R, Cuda> its_out(d_out);
    Located<float, Cuda> its_table(d_table);
    token_embedding_backward<R>(HostQueue(), std::span(tokens).subspan(skipped, used),
                                of.first_token, part(view(d_out, of.rows), first, count),
                                part(view(d_table, of.vocabulary), first, count));
    if (is_planted) tokens[skipped + used / 2] ^= 1U;
    const Located<std::uint16_t, Cuda> its_tokens(tokens);
    token_embedding_backward<R>(
        CudaQueue(), Cuda::Span<const std::uint16_t>(its_tokens.span()).subspan(skipped, used),
        of.first_token, part(its_out.view(of.rows), first, count),
        part(its_table.view(of.vocabulary), first, count));
    return bits_of(its_table.read()) == bits_of(d_table);
}

TEST_F(DeviceEmbedding, GradientsOfTokensAreAddedInTheirOrder) {
    for (const Columns& columns : some_columns) {
        SCOPED_TRACE(columns.count);
        const TokenCase of{70, 11, 2, columns};
        EXPECT_TRUE(tokens_give_the_bits_of_the_host<float>(of, words(70, 14)));
        EXPECT_TRUE(tokens_give_the_bits_of_the_host<bf16>(of, words(70, 14)));
    }
    const TokenCase of{70, 11, 0, {0, 5, 5}};
    EXPECT_FALSE(tokens_give_the_bits_of_the_host<float>(of, words(70, 11), true));
}

// Several rows of the table to a group, tiles of two steps and of one, and what is left of a tile.
TEST_F(DeviceEmbedding, GradientsOfManyTokensAreAddedInTheirOrder) {
    const TokenCase of{5000, 2600, 30, {0, 3, 3}};
    EXPECT_TRUE(tokens_give_the_bits_of_the_host<float>(of, words(5000, 2700)));
    // A tile of so many steps that their bits need more than 32.
    EXPECT_TRUE(tokens_give_the_bits_of_the_host<float>({17'000, 2600, 30, {0, 3, 3}},
                                                        words(17'000, 2700)));
    const TokenCase unaligned{4801, 1500, 0, {0, 3, 3}, 5};
    EXPECT_TRUE(tokens_give_the_bits_of_the_host<bf16>(unaligned, words(4900, 1500)));
    EXPECT_FALSE(tokens_give_the_bits_of_the_host<bf16>(unaligned, words(4900, 1500), true));
}

// More of one token than a block can note at a time, and runs of it among other tokens.
TEST_F(DeviceEmbedding, OneTokenMayBeEverywhere) {
    std::vector<std::uint16_t> tokens(6'200, 1);
    EXPECT_TRUE(tokens_give_the_bits_of_the_host<float>({6'200, 2, 0, {0, 3, 3}}, tokens));
    for (std::size_t i = 0; i < tokens.size(); i += 50) tokens[i] = 1025;
    EXPECT_TRUE(tokens_give_the_bits_of_the_host<float>({6'200, 1026, 0, {0, 3, 3}}, tokens));
}

// The largest token that there is, in a vocabulary of all.
TEST_F(DeviceEmbedding, TheLastTokenHasARow) {
    const std::vector<std::uint16_t> tokens{65535, 1023, 64512, 65535, 0};
    EXPECT_TRUE(tokens_give_the_bits_of_the_host<float>({5, 65536, 0, {0, 1, 1}}, tokens));
    EXPECT_TRUE(tokens_give_the_bits_of_the_host<float>({5, 1024, 64512, {0, 1, 1}}, tokens));
}

template <class R>
bool positions_give_the_bits_of_the_host(const Columns& columns, Size first_row, Size rows,
                                         Size shift = 0) {
    const auto& [first, count, leading] = columns;
    const std::vector<std::int64_t> positions{6, 0, 1, 3, 2};
    auto d_out = numbers<R>(rows * leading, "d_out");
    auto d_table = numbers<float>(7 * leading, "d_table");
    Located<R, Cuda> its_out(d_out);
    Located<float, Cuda> its_table(d_table);
    const Located<std::int64_t, Cuda> its_positions(positions);
    position_embedding_backward<R>(HostQueue(), first_row, positions,
                                   part(view(d_out, rows), first, count),
                                   part(view(d_table, 7), first, count));
    position_embedding_backward<R>(CudaQueue(), first_row + shift, its_positions.span(),
                                   part(its_out.view(rows), first, count),
                                   part(its_table.view(7), first, count));
    return bits_of(its_table.read()) == bits_of(d_table);
}

TEST_F(DeviceEmbedding, GradientsOfPositionsAreAddedInTheOrderOfRows) {
    for (const Columns& columns : some_columns) {
        SCOPED_TRACE(columns.count);
        // Nine rows of each position and a few more; fewer rows than positions.
        for (const auto& [first_row, rows] : {std::pair{0, 47}, {13, 45}, {4, 3}, {1, 1}}) {
            EXPECT_TRUE(positions_give_the_bits_of_the_host<float>(columns, first_row, rows));
            EXPECT_TRUE(positions_give_the_bits_of_the_host<bf16>(columns, first_row, rows));
        }
    }
    EXPECT_FALSE(positions_give_the_bits_of_the_host<float>({0, 5, 5}, 0, 47, 1));
}

TEST_F(DeviceEmbedding, NoRowsAreNoWork) {
    const CudaQueue queue;
    const Cuda::Span<const std::uint16_t> no_tokens;
    Located<float, Cuda> table(12, 3.0F);
    const Located<std::int64_t, Cuda> positions(std::vector<std::int64_t>{0, 1});
    Matrix<float, Cuda> none = table.view(4).rows_from(0, 0);
    token_embedding_forward<float>(queue, no_tokens, 0, table.view(4), none);
    position_embedding_forward<float>(queue, 0, positions.span(), table.view(4), none);
    token_embedding_backward<float>(queue, no_tokens, 0, none, table.view(4));
    position_embedding_backward<float>(queue, 0, positions.span(), none, table.view(4));
    EXPECT_EQ(table.read(), std::vector<float>(12, 3.0F));
}

}  // namespace
}  // namespace shardstone::validation
