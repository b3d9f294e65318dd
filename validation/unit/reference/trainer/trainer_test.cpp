// SPDX-License-Identifier: BSD-3-Clause
// A training on real ranks passes its own checks, and each check sees the fault that it is for.
#include "reference/trainer/trainer.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "benchmarks/training/run/checks.hpp"
#include "benchmarks/training/run/run.hpp"
#include "reference/model/gpt.hpp"
#include "validation/unit/mpi_test_main.hpp"
#include "validation/unit/reference/trainer/synthetic_language.hpp"

namespace shardstone::validation {
namespace {

using namespace reference;

Dataset small_text() {
    return text_in(MarkovLanguage(1, 16, 1), 5000, 1000);
}

TrainOptions small_training() {
    TrainOptions options;
    options.model = gpt_preset("nano");
    options.plan.data = world().size();
    options.batch = {2 * world().size(), 1, 16};
    options.communication.bucket_bytes = 20000;
    options.steps = 4;
    return options;
}

void expect_verified(const benchmarks::TrainingResult& result) {
    for (const auto& check : benchmarks::checks_of({}, result)) {
        EXPECT_TRUE(check.passed) << check.name << ": " << check.detail;
    }
}

TEST(Training, PassesItsOwnChecksInEveryMode) {
    const Dataset text = small_text();
    for (const bool reproducible : {false, true}) {
        for (const bool overlap : {false, true}) {
            TrainOptions options = small_training();
            options.reproducible = reproducible;
            options.communication.overlap = overlap;
            const auto result = benchmarks::run_training(world(), {.options = options}, text);
            expect_verified(result);
            EXPECT_EQ(result.memory.size(), reproducible ? 6U : 5U);
        }
    }
}

TEST(Training, SendsWhatTheRingSends) {
    TrainOptions options = small_training();
    options.eval_sequences = 0;
    const auto result = benchmarks::run_training(world(), {.options = options}, small_text());
    // A ring moves 2 (P - 1) / P of the vector per rank; summed over ranks exactly 2 (P - 1)
    // vectors, whatever the blocks: gradients, the loss (16 bytes) and the norm (32 bytes).
    const std::int64_t hops = 2 * (world().size() - 1);
    const std::int64_t step_bytes = 4 * options.model.parameter_count() + 16 + 32;
    std::int64_t total = 0;
    for (const std::int64_t bytes : result.bytes_sent) total += bytes;
    EXPECT_EQ(total, hops * step_bytes * options.steps);
}

TEST(Training, ChecksSeeWhatIsWrong) {
    auto result = benchmarks::run_training(world(), {.options = small_training()}, small_text());
    const auto failures = [](const benchmarks::TrainingResult& wrong) {
        std::set<std::string> names;
        for (const auto& check : benchmarks::checks_of({}, wrong)) {
            if (!check.passed) names.insert(check.name);
        }
        return names;
    };
    using Names = std::set<std::string>;
    auto wrong = result;
    ++wrong.bytes_sent.back();
    EXPECT_EQ(failures(wrong), Names{"bytes sent equal the schedules' volume"});
    wrong = result;
    wrong.replicas_identical = false;
    EXPECT_EQ(failures(wrong), Names{"replicas have identical parameters"});
    wrong = result;
    wrong.steps.front().loss = NAN;
    EXPECT_EQ(failures(wrong), Names{"the loss is finite"});
}

/// Every class of memory has its check, and each sees its own class alone.
TEST(Training, ChecksSeeEveryClassOfMemory) {
    TrainOptions options = small_training();
    options.reproducible = true;
    options.precision = find_precision("bf16");
    const auto result = benchmarks::run_training(world(), {.options = options}, small_text());
    std::set<std::string> classes;
    for (const benchmarks::MemoryClass& each : result.memory) classes.insert(each.name);
    EXPECT_EQ(classes, (std::set<std::string>{"weights", "gradients", "optimizer", "master_weights",
                                              "exact_sums", "activations", "bookkeeping"}));
    for (std::size_t c = 0; c < result.memory.size(); ++c) {
        for (const std::int64_t percent : {97, 103}) {
            auto wrong = result;
            benchmarks::MemoryClass& spoilt = wrong.memory[c];
            ASSERT_GT(spoilt.measured_bytes, 0) << spoilt.name;
            spoilt.measured_bytes = spoilt.formula_bytes * percent / 100;
            std::vector<std::string> failed;
            for (const auto& check : benchmarks::checks_of({}, wrong)) {
                if (!check.passed) failed.push_back(check.name);
            }
            EXPECT_EQ(failed,
                      std::vector{"memory of " + spoilt.name + " within 2 % of the formula"});
        }
    }
}

TEST(Training, ReplicasThatDifferAreSeen) {
    if (world().size() == 1) GTEST_SKIP() << "one replica cannot differ";
    const Dataset text = small_text();
    benchmarks::RunRequest request{small_training()};
    // Rank 1 trains on with a learning rate of its own.
    if (world().rank() == 1) request.options.optimizer.learning_rate *= 2;
    EXPECT_FALSE(benchmarks::run_training(world(), request, text).replicas_identical);
}

TEST(Training, ValidationLossDoesNotDependOnRanks) {
    const Dataset text = small_text();
    TrainOptions options = small_training();
    options.reproducible = true;
    options.eval_sequences = 7;
    Trainer<float> trainer(world(), options, text, checked_step_program(options, world().rank()));
    const auto shared = trainer.validation_loss();
    ASSERT_TRUE(shared.has_value());
    auto alone = world().split(world().rank());
    options.plan.data = 1;
    Trainer<float> serial(alone, options, text, checked_step_program(options, 0));
    EXPECT_EQ(*serial.validation_loss(), *shared);
    // Untrained weights know nothing: about ln V.
    EXPECT_NEAR(*shared, std::log(256.0), 0.1);
}

/// Mean loss of untrained weights over the held-out windows that the rule in
/// reference/data/README.md names, by a model of its own.
double loss_by_the_rule(const TrainOptions& options, std::span<const Token> held_out,
                        std::int64_t evaluated) {
    const std::int64_t length = options.batch.sequence;
    const std::int64_t windows = (std::ssize(held_out) - 1) / length;
    Gpt<float> model(options.model, 1, length);
    model.initialize(options.seed);
    double sum = 0.0;
    for (std::int64_t k = 0; k < evaluated; ++k) {
        const auto first = static_cast<std::size_t>(k * windows / evaluated * length);
        const auto inputs = held_out.subspan(first, static_cast<std::size_t>(length));
        const auto next = held_out.subspan(first + 1, static_cast<std::size_t>(length));
        sum += model.forward(inputs, std::vector<Target>(next.begin(), next.end()));
    }
    return sum / static_cast<double>(evaluated * length);
}

// The text to train on is one token over and over, that held out counts upwards, so that every
// window has a loss of its own: the first few, or some of the training text, would show.
TEST(Training, ValidationIsOnHeldOutWindowsSpreadEvenly) {
    std::vector<Token> held_out;
    for (int i = 0; i < 16 * 40 + 3; ++i) held_out.push_back(static_cast<Token>(i * i / 7 % 251));
    const Dataset text =
        Dataset::from_tokens("one token", 256, std::vector<Token>(3000, 255), held_out);
    TrainOptions options = small_training();
    options.reproducible = true;
    for (const std::int64_t evaluated : {1, 3, 7, 40, 64}) {
        options.eval_sequences = evaluated;
        Trainer<float> trainer(world(), options, text,
                               checked_step_program(options, world().rank()));
        const std::int64_t there = std::min<std::int64_t>(evaluated, 40);
        EXPECT_NEAR(trainer.validation_loss().value(), loss_by_the_rule(options, held_out, there),
                    1e-6)
            << evaluated << " sequences";
    }
}

TEST(Training, TraceHasOneRowPerRankAndEveryTransfer) {
    benchmarks::RunRequest request{small_training(), true};
    const auto result = benchmarks::run_training(world(), request, small_text());
    if (!world().is_root()) {
        EXPECT_TRUE(result.trace.empty());
        return;
    }
    const auto trace = nlohmann::json::parse(result.trace);
    std::map<std::string, int> counts;
    std::set<int> rows;
    for (const auto& event : trace) {
        if (event.at("ph") == "e") continue;
        rows.insert(event.at("pid").get<int>());
        counts[event.value("cat", "row")] += 1;
        if (event.at("ph") == "X") {
            EXPECT_GE(event.at("ts").get<double>(), 0.0);
            EXPECT_GE(event.at("dur").get<double>(), 0.0);
        }
    }
    const int ranks = world().size();
    const auto steps = static_cast<int>(request.options.steps);
    const auto units = static_cast<int>(request.options.model.layers) + 2;
    const auto program = step_program(request.options, 0);
    const auto transfers = static_cast<int>(
        std::ranges::count(program.actions, Action::Kind::transfer, &Action::kind));
    EXPECT_EQ(rows.size(), static_cast<std::size_t>(ranks));
    EXPECT_EQ(counts["row"], ranks);
    EXPECT_EQ(counts["forward"], ranks * steps * 2 * units);
    EXPECT_EQ(counts["backward"], ranks * steps * 2 * units);
    EXPECT_EQ(counts["update"], ranks * steps);
    EXPECT_EQ(counts["transfer"], ranks * steps * transfers);
}

TEST(Training, TimesAddUp) {
    const auto result =
        benchmarks::run_training(world(), {.options = small_training()}, small_text());
    for (const auto& step : result.steps) {
        double total = 0.0;
        for (const double phase : step.phases) total += phase;
        EXPECT_LE(total, step.time_s * 1.001);  // means over ranks against the maximum
        EXPECT_GT(total, 0.0);
    }
}

}  // namespace
}  // namespace shardstone::validation
