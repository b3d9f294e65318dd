// SPDX-License-Identifier: BSD-3-Clause
// Every precision trains, on any number of ranks, in the memory and with the bytes that it says;
// an overflow passes, and one that nobody scales for is named.
#include "reference/precision/precision.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "benchmarks/training/run/checks.hpp"
#include "benchmarks/training/run/run.hpp"
#include "validation/unit/mpi_test_main.hpp"
#include "validation/unit/reference/trainer/synthetic_language.hpp"

namespace shardstone::validation {
namespace {

using namespace reference;

Dataset small_text() {
    return text_in(MarkovLanguage(1, 16, 1), 5000, 1000);
}

TrainOptions training(const std::string& precision, int zero) {
    TrainOptions options;
    options.model = gpt_preset("nano");
    const int ranks = world().size();
    options.plan = parse_plan(fmt::format("dp={},zero={}", ranks, ranks > 1 ? zero : 0));
    options.batch = {2 * world().size(), 1, 16};
    options.communication.bucket_bytes = 20000;
    options.steps = 6;
    options.precision = find_precision(precision);
    return options;
}

TEST(EveryPrecision, PassesItsOwnChecks) {
    const Dataset text = small_text();
    int zero = 0;
    for (const Precision& each : precisions()) {
        const TrainOptions options = training(each.name, zero++ % 4);
        const auto result = benchmarks::run_training(world(), {.options = options}, text);
        for (const auto& check : benchmarks::checks_of(options, result)) {
            EXPECT_TRUE(check.passed) << each.name << ": " << check.name << ": " << check.detail;
        }
        for (const benchmarks::MemoryClass& memory : result.memory) {
            EXPECT_EQ(memory.measured_bytes, memory.formula_bytes) << each.name << memory.name;
        }
    }
}

// Weights of two bytes, gathered once per step, against those of four.
TEST(Bf16, HalvesTheBytesOfWeights) {
    const auto bytes = [](const std::string& precision) {
        TrainOptions options = training(precision, 1);
        options.eval_sequences = 0;
        const auto result = benchmarks::run_training(world(), {.options = options}, small_text());
        return std::accumulate(result.bytes_sent.begin(), result.bytes_sent.end(), std::int64_t{0});
    };
    const std::int64_t parameters = training("fp32", 1).model.parameter_count();
    EXPECT_EQ(bytes("fp32") - bytes("bf16"), (world().size() - 1) * parameters * 2 * 6);
}

// Rounded to BF16 on the way, gradients are off by no more than that: per element half a unit in
// the last place for each replica's rounding and each addition. Losses after the first step follow.
TEST(GradientWire, HalvesTheBytesOfGradientsAndTrainsAlike) {
    const auto run = [](Storage wire, int zero) {
        TrainOptions options = training("fp32", zero);
        options.eval_sequences = 0;
        options.communication.gradient_wire = wire;
        const auto result = benchmarks::run_training(world(), {.options = options}, small_text());
        for (const auto& check : benchmarks::checks_of(options, result)) {
            EXPECT_TRUE(check.passed) << check.name << ": " << check.detail;
        }
        return result;
    };
    const auto total = [](const benchmarks::TrainingResult& result) {
        return std::accumulate(result.bytes_sent.begin(), result.bytes_sent.end(), std::int64_t{0});
    };
    const std::int64_t parameters = training("fp32", 0).model.parameter_count();
    for (const int zero : {0, 2}) {
        const auto full = run(Storage::full, zero), narrow = run(Storage::bf16, zero);
        // An all-reduce, or a reduce-scatter for each of the two micro-batches.
        EXPECT_EQ(total(full) - total(narrow), 2 * (world().size() - 1) * parameters * 2 * 6);
        const double u = element_traits<bf16>::unit_roundoff;
        const double bound = 2.0 * world().size() * u * full.steps.front().gradient_norm;
        EXPECT_NEAR(full.steps.front().gradient_norm, narrow.steps.front().gradient_norm, bound);
        EXPECT_NEAR(full.final_loss(), narrow.final_loss(), 0.01);
    }
}

class Overflow : public testing::TestWithParam<std::string> {};

benchmarks::TrainingResult run_with_overflow(const std::string& precision, std::int64_t step,
                                             std::uint64_t seed = 1) {
    TrainOptions options = training(precision, 2);
    options.steps = 40;
    options.seed = seed;
    options.overflow = {step, world().size() - 1};
    return benchmarks::run_training(world(), {.options = options}, small_text());
}

/// How far apart the unbroken runs of some seeds end, given the loss of seed 1.
double band_of(const std::string& precision, double loss_of_first) {
    std::vector<double> losses{loss_of_first};
    for (const std::uint64_t seed : {2, 3, 4}) {
        losses.push_back(*run_with_overflow(precision, 0, seed).validation_loss());
    }
    const auto [least, most] = std::ranges::minmax(losses);
    return most - least;
}

// A run that leaves out one of its updates ends as near to the unbroken one as another seed would.
TEST_P(Overflow, IsSkippedAndTheRunRejoins) {
    const auto unbroken = run_with_overflow(GetParam(), 0);
    const auto broken = run_with_overflow(GetParam(), 5);
    ASSERT_EQ(broken.not_finite.size(), 1U);
    EXPECT_EQ(broken.not_finite.front().step, 5);
    EXPECT_TRUE(broken.not_finite.front().skipped);
    EXPECT_TRUE(unbroken.not_finite.empty());
    for (std::size_t s = 0; s < broken.steps.size(); ++s) {
        EXPECT_EQ(broken.steps[s].skipped, s == 4) << s;
        EXPECT_EQ(std::isfinite(broken.steps[s].gradient_norm), s != 4) << s;
    }
    EXPECT_NE(*broken.validation_loss(), *unbroken.validation_loss());
    EXPECT_NEAR(*broken.validation_loss(), *unbroken.validation_loss(),
                band_of(GetParam(), *unbroken.validation_loss()));
}
INSTANTIATE_TEST_SUITE_P(Fp16, Overflow, testing::Values("fp16", "fp16-static"));

TEST(Overflow, ScaleRecovers) {
    TrainOptions options = training("fp16", 1);
    options.precision.scaling.growth_interval = 3;
    options.steps = 9;
    options.overflow = {2, 0};
    const auto result = benchmarks::run_training(world(), {.options = options}, small_text());
    const double first = options.precision.scaling.initial;
    const std::vector<double> expected{first, first, first / 2, first / 2, first / 2,
                                       first, first, first,     2 * first};
    for (std::size_t s = 0; s < expected.size(); ++s) {
        EXPECT_EQ(result.steps[s].loss_scale, expected[s]) << s;
    }
}

// Moments included, which LAMB changes before the others do: a NaN in them would stay.
TEST(Overflow, LeavesTheStateOfEveryOptimizer) {
    using Kind = OptimizerKind;
    for (const Kind kind :
         {Kind::adamw, Kind::sgd, Kind::momentum, Kind::nesterov, Kind::lamb, Kind::lars}) {
        TrainOptions options = training("fp16", 1);
        choose_optimizer(options, kind);
        options.steps = 4;
        options.overflow = {2, 0};
        const auto result = benchmarks::run_training(world(), {.options = options}, small_text());
        for (std::size_t s = 0; s < result.steps.size(); ++s) {
            EXPECT_EQ(result.steps[s].skipped, s == 1) << to_string(kind) << ", " << s;
            EXPECT_EQ(std::isfinite(result.steps[s].gradient_norm), s != 1) << to_string(kind);
            EXPECT_TRUE(std::isfinite(result.steps[s].loss)) << to_string(kind) << ", " << s;
        }
    }
}

/// An infinity that the last rank makes in step 2, where nothing scales or skips.
void expect_named(int zero) {
    TrainOptions options = training("bf16", zero);
    options.steps = 2;
    options.eval_sequences = 0;
    options.overflow = {2, world().size() - 1};
    const auto result = benchmarks::run_training(world(), {.options = options}, small_text());
    ASSERT_EQ(result.not_finite.size(), 1U);
    EXPECT_FALSE(result.not_finite.front().skipped);
    if (world().is_root()) {
        EXPECT_NE(result.not_finite.front().where.find("weight[0] is"), std::string::npos);
        EXPECT_EQ(result.not_finite.front().rank, world().size() - 1) << zero;
    }
    EXPECT_FALSE(benchmarks::checks_of(options, result)[1].passed);
}

TEST(Overflow, IsNamedWithTheRankThatMadeIt) {
    for (const int zero : {0, 1, 2, 3}) expect_named(zero);
}

}  // namespace
}  // namespace shardstone::validation
