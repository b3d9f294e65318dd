// SPDX-License-Identifier: BSD-3-Clause
// Errors of sums that were added up here, one after another: within the bound of as many additions
// as there were, and beyond that of fewer.
#include "benchmarks/collectives/accuracy/sum_error.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <vector>

#include "collectives/reduction/reduction.hpp"

namespace shardstone::validation {
namespace {

using namespace shardstone::benchmarks;

constexpr std::array types{ElementType::fp32,  ElementType::fp64,     ElementType::bf16,
                           ElementType::fp16,  ElementType::fp8_e4m3, ElementType::fp8_e5m2,
                           ElementType::int32, ElementType::int64};
constexpr std::int64_t count = 2000;

std::vector<std::byte> input(const SumInputs& inputs, ElementType type, int rank) {
    std::vector<std::byte> vector(static_cast<std::size_t>(count) * element_size(type));
    inputs.fill(vector.data(), count, rank);
    return vector;
}

/// ((x0 + x1) + x2) + ...
std::vector<std::byte> chain(const SumInputs& inputs, ElementType type, int ranks) {
    auto sum = input(inputs, type, 0);
    const auto reduce = collectives::reduce_function(type, collectives::Reduction::sum);
    for (int rank = 1; rank < ranks; ++rank) {
        reduce(sum.data(), input(inputs, type, rank).data(), count);
    }
    return sum;
}

SumError error_of(ElementType type, int ranks, int depth) {
    const SumInputs inputs(type, ranks);
    SumError error;
    add_errors(type, chain(inputs, type, ranks).data(), inputs.sums(count), depth, error);
    return error;
}

TEST(SumError, OfOneAdditionIsHalfAUnitAtMost) {
    for (const ElementType type : types) {
        const SumError error = error_of(type, 2, 1);
        EXPECT_LE(error.max_ulp, is_integer(type) ? 0.0 : 0.5) << to_string(type);
        EXPECT_GE(error.max_ulp, is_integer(type) ? 0.0 : 0.3) << to_string(type);
        EXPECT_LE(error.share_of_bound, 1.0) << to_string(type);
        EXPECT_EQ(error.elements, count);
    }
}

TEST(SumError, OfAChainIsWithinTheBoundOfAChain) {
    for (const ElementType type : types) {
        for (const int ranks : {3, 8, 100}) {
            const SumError error = error_of(type, ranks, ranks - 1);
            EXPECT_LE(error.share_of_bound, 1.0) << to_string(type) << " " << ranks;
        }
    }
}

TEST(SumError, OfAChainBreaksTheBoundOfATree) {
    // 256 numbers: 255 additions, where a tree claims 8.
    for (const ElementType type : {ElementType::fp32, ElementType::bf16, ElementType::fp16}) {
        EXPECT_GT(error_of(type, 256, 8).share_of_bound, 1.0) << to_string(type);
    }
}

TEST(SumError, OfAContributionThatIsMissingOrCountedTwiceBreaksTheBound) {
    constexpr int ranks = 8;
    for (const ElementType type : types) {
        if (type == ElementType::fp8_e5m2 || type == ElementType::fp8_e4m3) continue;  // too coarse
        const SumInputs inputs(type, ranks);
        auto sum = chain(inputs, type, ranks);
        collectives::reduce_function(type, collectives::Reduction::sum)(
            sum.data(), input(inputs, type, 3).data(), count);
        SumError error;
        add_errors(type, sum.data(), inputs.sums(count), ranks, error);
        EXPECT_GT(error.share_of_bound, 1.0) << to_string(type);
        error = {};
        add_errors(type, chain(inputs, type, ranks - 1).data(), inputs.sums(count), ranks, error);
        EXPECT_GT(error.share_of_bound, 1.0) << to_string(type);
    }
}

TEST(SumError, OfWhatIsNoNumberIsBeyondEveryBound) {
    const SumInputs inputs(ElementType::fp32, 2);
    const auto exact = inputs.sums(1);
    for (const float none : {std::nanf(""), INFINITY}) {
        SumError error;
        add_errors(ElementType::fp32, &none, exact, 1000, error);
        EXPECT_FALSE(error.share_of_bound <= 1.0);
        EXPECT_TRUE(std::isinf(error.max_ulp));
    }
}

TEST(SumInputs, SumsAreThoseOfLongDouble) {
    constexpr int ranks = 9;
    const SumInputs inputs(ElementType::fp64, ranks);
    const auto exact = inputs.sums(count);
    std::vector<long double> sums(static_cast<std::size_t>(count));
    for (int rank = 0; rank < ranks; ++rank) {
        std::vector<double> vector(sums.size());
        inputs.fill(vector.data(), count, rank);
        for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += vector[i];
    }
    // 9 multiples of 2^-53 below 1: 57 bits, which the 64 of x87's long double hold exactly.
    for (std::size_t i = 0; i < sums.size(); ++i) {
        EXPECT_EQ(static_cast<double>(sums[i] - exact[i].high), exact[i].low) << i;
    }
}

TEST(SumInputs, RefusesMoreRanksThanATypeHolds) {
    EXPECT_THROW(SumInputs(ElementType::fp8_e4m3, 225), Error);
    EXPECT_THROW(SumInputs(ElementType::fp64, 1024), Error);
    EXPECT_NO_THROW(SumInputs(ElementType::fp8_e4m3, 224));
}

}  // namespace
}  // namespace shardstone::validation
