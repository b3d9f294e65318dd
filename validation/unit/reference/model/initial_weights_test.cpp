// SPDX-License-Identifier: BSD-3-Clause
// Initial weights are those of the rule in reference/data/README.md, to the last bit.
#include "reference/model/initial_weights.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "validation/oracle/initial_weights.hpp"

namespace shardstone::validation {
namespace {

using namespace reference;

const GptConfig odd_model{"odd", 61, 21, 3, 5, 35};

template <class Real>
std::span<const Real> part_of(const std::vector<Real>& all, std::int64_t first,
                              std::int64_t count) {
    return std::span(all).subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(count));
}

template <class Real>
void expect_rule(std::uint64_t seed) {
    const ParameterLayout layout(odd_model);
    std::vector<Real> weights(static_cast<std::size_t>(layout.count()));
    fill_initial_weights(layout, seed, 0, std::span(weights));
    for (const ParameterInfo& tensor : layout.parameters()) {
        const auto expected =
            oracle::initial_weights(seed, tensor.name, tensor.count, odd_model.layers);
        EXPECT_TRUE(std::ranges::equal(part_of(weights, tensor.offset, tensor.count), expected))
            << tensor.name << " with seed " << seed;
        EXPECT_EQ(tensor.decay, oracle::is_matrix(tensor.name)) << tensor.name;
    }
}

TEST(InitialWeightsRule, HoldsForEveryTensor) {
    for (const std::uint64_t seed : {std::uint64_t{1}, std::uint64_t{0x123456789abcdef}}) {
        expect_rule<float>(seed);
        expect_rule<double>(seed);
    }
}

/// Every stage and tensor rank draws its own elements of the whole tensor.
TEST(InitialWeightsRule, HoldsForEveryPart) {
    for (int rank = 0; rank < 3; ++rank) {
        ModelPart part{.chunks = {{1, 2, rank == 0, rank == 2}}};
        part.tensor_ranks = 3;
        part.tensor_rank = rank;
        const ParameterLayout layout(odd_model, part);
        std::vector<float> weights(static_cast<std::size_t>(layout.count()));
        fill_initial_weights(layout, 5, 0, std::span(weights));
        for (const ParameterInfo& tensor : layout.parameters()) {
            std::int64_t whole = 1;
            for (const std::int64_t size : tensor.shape) whole *= size;
            const auto expected = oracle::initial_weights(5, tensor.name, whole, odd_model.layers);
            for (const TensorPiece& piece : tensor.pieces()) {
                EXPECT_TRUE(
                    std::ranges::equal(part_of(weights, tensor.offset + piece.local, piece.count),
                                       part_of(expected, piece.global, piece.count)))
                    << tensor.name << " on rank " << rank;
            }
        }
    }
}

}  // namespace
}  // namespace shardstone::validation
