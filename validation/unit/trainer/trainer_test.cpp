// SPDX-License-Identifier: BSD-3-Clause
#include "reference/trainer/trainer.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "reference/trainer/record.hpp"
#include "reference/trainer/run.hpp"
#include "validation/unit/mpi_test_main.hpp"
#include "validation/unit/trainer/synthetic_language.hpp"

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

void expect_verified(const TrainingResult& result) {
    for (const auto& check : checks_of(result)) {
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
            const auto result = run_training(world(), {options}, text);
            expect_verified(result);
            EXPECT_EQ(result.memory.size(), reproducible ? 5U : 4U);
        }
    }
}

TEST(Training, SendsWhatTheRingSends) {
    TrainOptions options = small_training();
    options.eval_sequences = 0;
    const auto result = run_training(world(), {options}, small_text());
    // A ring moves 2 (P - 1) / P of the vector per rank; summed over ranks exactly 2 (P - 1)
    // vectors, whatever the blocks: gradients, the loss (16 bytes) and the norm (32 bytes).
    const std::int64_t hops = 2 * (world().size() - 1);
    const std::int64_t step_bytes = 4 * options.model.parameter_count() + 16 + 32;
    std::int64_t total = 0;
    for (const std::int64_t bytes : result.bytes_sent) total += bytes;
    EXPECT_EQ(total, hops * step_bytes * options.steps);
}

TEST(Training, ChecksSeeWhatIsWrong) {
    auto result = run_training(world(), {small_training()}, small_text());
    const auto failures = [](const TrainingResult& wrong) {
        std::set<std::string> names;
        for (const auto& check : checks_of(wrong)) {
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
    wrong = result;
    wrong.memory.front().measured_bytes = wrong.memory.front().formula_bytes * 103 / 100;
    EXPECT_EQ(failures(wrong), Names{"memory of weights within 2 % of the formula"});
}

TEST(Training, ReplicasThatDifferAreSeen) {
    if (world().size() == 1) GTEST_SKIP() << "one replica cannot differ";
    const Dataset text = small_text();
    RunRequest request{small_training()};
    // Rank 1 trains on with a learning rate of its own.
    if (world().rank() == 1) request.options.optimizer.learning_rate *= 2;
    EXPECT_FALSE(run_training(world(), request, text).replicas_identical);
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

TEST(Training, TraceHasOneRowPerRankAndEveryTransfer) {
    RunRequest request{small_training(), true};
    const auto result = run_training(world(), request, small_text());
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
    const auto result = run_training(world(), {small_training()}, small_text());
    for (const auto& step : result.steps) {
        double total = 0.0;
        for (const double phase : step.phases) total += phase;
        EXPECT_LE(total, step.time_s * 1.001);  // means over ranks against the maximum
        EXPECT_GT(total, 0.0);
    }
}

}  // namespace
}  // namespace shardstone::validation
