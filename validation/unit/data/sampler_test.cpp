// SPDX-License-Identifier: BSD-3-Clause
#include "reference/data/sampler.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "kernels/base/error.hpp"
#include "kernels/transformer/cross_entropy.hpp"

namespace shardstone::validation {
namespace {

using namespace reference;

constexpr std::int64_t sequence = 7;

/// Two pieces whose tokens count upwards, so that a token tells where it stands.
class Sequences : public testing::Test {
  protected:
    Sequences() : tokens_(100) {
        std::iota(tokens_.begin(), tokens_.end(), Token{0});
        const std::span<const Token> all(tokens_);
        pieces_ = {all.first(40), all.subspan(40, 5), all.last(55)};
    }

    std::vector<Token> draw(std::int64_t step, std::int64_t first, std::int64_t batch,
                            std::uint64_t seed = 1) const {
        std::vector<Token> inputs(static_cast<std::size_t>(batch * sequence));
        std::vector<std::int32_t> targets(inputs.size());
        Sampler(pieces_, sequence, seed).fill(step, first, inputs, targets);
        for (std::size_t i = 0; i < inputs.size(); ++i) EXPECT_EQ(targets[i], inputs[i] + 1);
        return inputs;
    }

    std::vector<Token> tokens_;
    TokenPieces pieces_;
};

TEST_F(Sequences, DoNotDependOnTheLayout) {
    constexpr std::int64_t global_batch = 24;
    const auto whole = draw(3, 0, global_batch);
    for (const std::int64_t ranks : {1, 2, 3, 4, 8}) {
        const std::int64_t share = global_batch / ranks;
        for (const std::int64_t micro_batch : {std::int64_t{1}, share}) {
            std::vector<Token> joined;
            for (std::int64_t first = 0; first < ranks * share; first += micro_batch) {
                const auto part = draw(3, first, micro_batch);
                joined.insert(joined.end(), part.begin(), part.end());
            }
            EXPECT_EQ(joined, whole) << ranks << " ranks, micro-batch " << micro_batch;
        }
    }
}

TEST_F(Sequences, StayInOnePieceAndReachEveryStart) {
    std::set<Token> starts;
    const auto drawn = draw(0, 0, 4000);
    for (std::size_t i = 0; i < drawn.size(); i += sequence) {
        const Token start = drawn[i];
        const bool in_first = start + sequence < 40;
        const bool in_last = start >= 45 && start + sequence < 100;
        EXPECT_TRUE(in_first || in_last) << start;
        EXPECT_EQ(drawn[i + sequence - 1], start + sequence - 1);
        starts.insert(start);
    }
    EXPECT_EQ(starts.size(), 33U + 48U);
}

TEST_F(Sequences, DependOnSeedAndStep) {
    EXPECT_NE(draw(0, 0, 8), draw(1, 0, 8));
    EXPECT_NE(draw(0, 0, 8), draw(0, 8, 8));
    EXPECT_NE(draw(0, 0, 8, 1), draw(0, 0, 8, 2));
    EXPECT_EQ(draw(5, 4, 8), draw(5, 4, 8));
}

constexpr std::int64_t shortest = 3;

TEST_F(Sequences, OfAllLengthsEndInIgnoredTargets) {
    const Sampler full(pieces_, sequence, 1);
    const Sampler sampler(pieces_, sequence, 1, shortest);
    constexpr std::int64_t batch = 2000;
    std::vector<Token> inputs(batch * sequence), full_inputs(inputs.size());
    std::vector<std::int32_t> targets(inputs.size()), full_targets(inputs.size());
    sampler.fill(2, 5, inputs, targets);
    full.fill(2, 5, full_inputs, full_targets);
    EXPECT_EQ(inputs, full_inputs);  // lengths have a stream of their own
    std::vector<std::int64_t> seen(sequence + 1);
    std::int64_t counting = 0;
    for (std::int64_t b = 0; b < batch; ++b) {
        const std::int64_t length = sampler.length(2, 5 + b);
        ++seen.at(static_cast<std::size_t>(length));
        for (std::int64_t t = 0; t < sequence; ++t) {
            const std::int64_t i = b * sequence + t;
            EXPECT_EQ(targets[i], t < length ? full_targets[i] : ignored_target);
        }
        counting += length;
    }
    EXPECT_EQ(sampler.counting_targets(2, 5, batch), counting);
    EXPECT_EQ(counting, std::ranges::count_if(targets, [](auto t) { return t >= 0; }));
    // Uniform over [3, 7]: five standard deviations of a count of n p, p = 1/5.
    const double deviation = std::sqrt(batch * 0.2 * 0.8);
    for (std::int64_t l = 0; l <= sequence; ++l) {
        const double expected = l < shortest ? 0.0 : batch * 0.2;
        EXPECT_NEAR(seen[l], expected, l < shortest ? 0.0 : 5 * deviation) << l;
    }
}

TEST_F(Sequences, LengthsDependOnSeedStepAndSampleAlone) {
    const auto lengths = [&](std::int64_t step, std::int64_t first, std::uint64_t seed) {
        const Sampler sampler(pieces_, sequence, seed, shortest);
        std::vector<std::int64_t> all;
        for (std::int64_t i = 0; i < 16; ++i) all.push_back(sampler.length(step, first + i));
        return all;
    };
    EXPECT_EQ(lengths(4, 0, 1), lengths(4, 0, 1));
    EXPECT_NE(lengths(4, 0, 1), lengths(5, 0, 1));
    EXPECT_NE(lengths(4, 0, 1), lengths(4, 16, 1));
    EXPECT_NE(lengths(4, 0, 1), lengths(4, 0, 2));
    const Sampler sampler(pieces_, sequence, 1, shortest);
    EXPECT_EQ(sampler.counting_targets(4, 0, 24),
              sampler.counting_targets(4, 0, 7) + sampler.counting_targets(4, 7, 17));
}

TEST_F(Sequences, WithoutAShortestLengthAreFull) {
    for (const std::int64_t none : {std::int64_t{0}, sequence, sequence + 1}) {
        const Sampler sampler(pieces_, sequence, 1, none);
        EXPECT_EQ(sampler.counting_targets(0, 0, 100), 100 * sequence) << none;
    }
    EXPECT_LT(Sampler(pieces_, sequence, 1, 1).counting_targets(0, 0, 100), 100 * sequence);
}

TEST_F(Sequences, LongerThanEveryPieceAreRefused) {
    EXPECT_THROW(Sampler(pieces_, 55, 1), Error);
    EXPECT_NO_THROW(Sampler(pieces_, 54, 1));
}

TEST_F(Sequences, OfValidationFollowEachOther) {
    const ValidationWindows windows(pieces_, sequence);
    EXPECT_EQ(windows.count(), 39 / sequence + 54 / sequence);
    std::vector<Token> inputs(sequence);
    std::vector<std::int32_t> targets(sequence);
    windows.fill(1, windows.count(), inputs, targets);
    EXPECT_EQ(inputs.front(), sequence);
    EXPECT_EQ(targets.back(), 2 * sequence);
    windows.fill(windows.count() - 1, windows.count(), inputs, targets);
    EXPECT_EQ(inputs.front(), 45 + 6 * sequence);
    EXPECT_EQ(ValidationWindows({}, sequence).count(), 0);
}

}  // namespace
}  // namespace shardstone::validation
