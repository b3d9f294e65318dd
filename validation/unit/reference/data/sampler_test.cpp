// SPDX-License-Identifier: BSD-3-Clause
// Training sequences depend on seed, step and number alone, never on the layout of ranks.
#include "reference/data/sampler.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include "kernels/base/error.hpp"
#include "kernels/transformer/cross_entropy.hpp"
#include "validation/oracle/sample_order.hpp"

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
        parts_ = {all.first(40), all.subspan(40, 5), all.last(55)};
        pieces_ = {parts_.begin(), parts_.end()};
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
    std::vector<std::span<const Token>> parts_;
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

/// Where each sequence begins.
std::vector<Token> starts_of(const std::vector<Token>& drawn) {
    std::vector<Token> starts;
    for (std::size_t i = 0; i < drawn.size(); i += sequence) starts.push_back(drawn[i]);
    return starts;
}

/// Sequences that begin at the same of the 81 places in both: of independent ones the 81st part,
/// binomial, within six standard deviations. A sampler that repeats but one is far outside.
void expect_independent(const std::vector<Token>& a, const std::vector<Token>& b,
                        const char* what) {
    ASSERT_EQ(a.size(), b.size());
    const auto n = static_cast<double>(a.size());
    double equal = 0.0;
    for (std::size_t i = 0; i < a.size(); ++i) equal += a[i] == b[i] ? 1.0 : 0.0;
    constexpr double p = 1.0 / 81.0;
    EXPECT_NEAR(equal, n * p, 6.0 * std::sqrt(n * p * (1.0 - p))) << what;
}

TEST_F(Sequences, OfOtherStepsSeedsAndNumbersAreOthers) {
    constexpr std::int64_t count = 4000;
    const auto starts = [&](std::int64_t step, std::int64_t first, std::uint64_t seed) {
        return starts_of(draw(step, first, count, seed));
    };
    const auto some = starts(5, 0, 1);
    EXPECT_EQ(some, starts(5, 0, 1));
    expect_independent(some, starts(6, 0, 1), "the next step");
    expect_independent(some, starts(5, 1, 1), "the next sequence");
    expect_independent(some, starts(5, count, 1), "the next sequences");
    expect_independent(some, starts(5, 0, 2), "another seed");
    expect_independent(some, starts(5, 0, std::uint64_t{1} + (std::uint64_t{1} << 32)),
                       "a seed that differs in its upper half");
}

TEST_F(Sequences, BeginEverywhereAlike) {
    constexpr double count = 40000;
    std::map<Token, double> times;
    for (const Token start : starts_of(draw(2, 0, static_cast<std::int64_t>(count)))) {
        times[start] += 1.0;
    }
    ASSERT_EQ(times.size(), 81U);
    constexpr double p = 1.0 / 81.0;
    for (const auto& [start, seen] : times) {
        EXPECT_NEAR(seen, count * p, 6.0 * std::sqrt(count * p * (1.0 - p))) << start;
    }
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

/// Token by token and target by target what reference/data/README.md says, written down apart.
TEST_F(Sequences, AreThoseOfTheRule) {
    for (const std::uint64_t seed : {std::uint64_t{1}, std::uint64_t{0x123456789abcdef}}) {
        for (const std::int64_t least : {std::int64_t{0}, std::int64_t{1}, shortest}) {
            const Sampler sampler(pieces_, sequence, seed, least);
            const oracle::SampleOrder rule(parts_, sequence, seed, least);
            std::vector<Token> inputs(sequence), expected(sequence);
            std::vector<std::int32_t> targets(sequence), expected_targets(sequence);
            for (const std::int64_t step : {0, 1, 2, 1000}) {
                for (const std::int64_t sample : {0, 1, 2, 3, 100, (1 << 24) - 1}) {
                    sampler.fill(step, sample, inputs, targets);
                    rule.write(step, sample, expected.data(), expected_targets.data());
                    ASSERT_EQ(inputs, expected) << "step " << step << ", sequence " << sample;
                    ASSERT_EQ(targets, expected_targets) << step << " " << sample;
                    ASSERT_EQ(sampler.length(step, sample), rule.length(step, sample));
                }
            }
        }
    }
}

/// Whole sequences one behind the other in each piece, the last token of one the first of the next.
std::vector<Token> places_of_windows() {
    std::vector<Token> places;
    for (Token place = 0; place + sequence < 40; place += sequence) places.push_back(place);
    for (Token place = 45; place + sequence < 100; place += sequence) places.push_back(place);
    return places;
}

TEST_F(Sequences, OfValidationFollowEachOther) {
    const ValidationWindows windows(pieces_, sequence);
    const auto places = places_of_windows();
    ASSERT_EQ(windows.count(), std::ssize(places));
    std::vector<Token> inputs(sequence);
    std::vector<std::int32_t> targets(sequence);
    for (std::int64_t window = 0; window < windows.count(); ++window) {
        windows.fill(window, windows.count(), inputs, targets);
        for (std::int64_t t = 0; t < sequence; ++t) {
            EXPECT_EQ(inputs[t], places[window] + t) << "window " << window;
            EXPECT_EQ(targets[t], places[window] + t + 1) << "window " << window;
        }
    }
    EXPECT_EQ(ValidationWindows({}, sequence).count(), 0);
}

/// Fewer than there are come from the whole text, not from its beginning.
TEST_F(Sequences, OfValidationAreSpreadEvenly) {
    const ValidationWindows windows(pieces_, sequence);
    const auto places = places_of_windows();
    ASSERT_EQ(places.size(), 12U);
    const std::map<std::int64_t, std::vector<std::size_t>> chosen{
        {1, {0}}, {2, {0, 6}}, {5, {0, 2, 4, 7, 9}}, {8, {0, 1, 3, 4, 6, 7, 9, 10}}};
    std::vector<Token> inputs(sequence);
    std::vector<std::int32_t> targets(sequence);
    for (const auto& [of, numbers] : chosen) {
        for (std::int64_t window = 0; window < of; ++window) {
            windows.fill(window, of, inputs, targets);
            EXPECT_EQ(inputs.front(), places[numbers[static_cast<std::size_t>(window)]])
                << window << " of " << of;
            EXPECT_EQ(targets.back(), inputs.front() + sequence) << window << " of " << of;
        }
    }
}

}  // namespace
}  // namespace shardstone::validation
