// SPDX-License-Identifier: BSD-3-Clause
// Known bugs of data-parallel trainers, each planted as a wrong step program: the checker refuses
// it, and where the checker is bypassed the comparison with one rank names where it first shows.
#include <gtest/gtest.h>

#include "kernels/base/error.hpp"
#include "reference/step/program_check.hpp"
#include "validation/equivalence/layouts.hpp"
#include "validation/unit/mpi_test_main.hpp"

namespace shardstone::validation {
namespace {

using namespace reference;

constexpr int ranks = 4;

StepProgram sound(const TrainOptions& options, int rank) {
    return step_program(options.plan, options.batch, reduction_shape(options), rank);
}

/// Every rank divides by the number of ranks once more, as if the sum were still to be averaged.
StepProgram gradient_divided_twice(const TrainOptions& options, int rank) {
    StepProgram program = sound(options, rank);
    for (Action& action : program.actions) {
        if (action.kind == Action::Kind::backward) action.scale /= options.plan.data;
    }
    return program;
}

/// The last rank forgets its last micro-batch.
StepProgram micro_batch_dropped(const TrainOptions& options, int rank) {
    SampleRange samples = samples_of(options.plan, options.batch, rank);
    if (rank > 0 && rank == options.plan.data - 1) --samples.count;
    return data_parallel_program(options.batch, samples, reduction_shape(options));
}

/// Each rank takes the mean over its own tokens, and the ranks' means are averaged, while the first
/// rank has two sequences more than the last.
StepProgram mean_of_means(const TrainOptions& options, int rank) {
    const int last = options.plan.data - 1;
    if (last == 0) return sound(options, rank);
    SampleRange samples = samples_of(options.plan, options.batch, rank);
    samples.first += rank == 0 ? 0 : 1;
    samples.count += static_cast<int>(rank == 0) - static_cast<int>(rank == last);
    StepProgram program = data_parallel_program(options.batch, samples, reduction_shape(options));
    const auto tokens = static_cast<double>(samples.count * options.batch.sequence);
    for (Action& action : program.actions) action.scale = 1.0 / tokens / options.plan.data;
    return program;
}

/// Every rank draws the sequences of rank 0.
StepProgram same_sequences_everywhere(const TrainOptions& options, int) {
    return sound(options, 0);
}

struct Bug {
    const char* name;
    ProgramSource program;
    const char* complaint;  ///< of the checker
    Difference difference;  ///< to one rank, where nobody asks the checker
};

class PlantedBug : public testing::TestWithParam<Bug> {};

// Where each shows first: the loss is compared before the gradients, and the first tensor in the
// model's order is the final norm.
const std::vector<Bug> bugs{
    {"GradientDividedTwice",
     gradient_divided_twice,
     "is not scaled by 1 / 1152 tokens",
     {1, "gradient of final_norm.weight"}},
    {"MicroBatchDropped",
     micro_batch_dropped,
     "sequence 23 of the global batch is seen 0 times",
     {1, "loss"}},
    {"MeanOfMeans", mean_of_means, "is not scaled by 1 / 1152 tokens", {1, "loss"}},
    {"SameSequencesEverywhere", same_sequences_everywhere, "is seen 4 times", {1, "loss"}},
};

TEST_P(PlantedBug, IsRefusedByTheChecker) {
    TrainOptions options = equivalence_training(gpt_preset("nano"), 1);
    options.plan.data = ranks;
    std::vector<StepProgram> programs;
    for (int rank = 0; rank < ranks; ++rank) {
        programs.push_back(GetParam().program(options, rank));
    }
    try {
        check_step_programs(programs, options.batch, options.model.parameter_count());
        FAIL() << "not refused";
    } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find(GetParam().complaint), std::string::npos)
            << error.what();
    }
}

TEST_P(PlantedBug, IsNamedByTheComparison) {
    const TrainOptions options = equivalence_training(gpt_preset("nano"), 2);
    const auto results =
        compare_layouts(world(), make_layouts({1, ranks}, {"ring"}, world().size(), options),
                        options, GetParam().program);
    if (!world().is_root()) return;
    ASSERT_TRUE(results.back().difference.has_value());
    EXPECT_EQ(results.back().difference->text(), GetParam().difference.text());
    const auto checks = checks_of(results);
    EXPECT_TRUE(checks.front().passed);
    EXPECT_FALSE(checks.back().passed);
}

INSTANTIATE_TEST_SUITE_P(Each, PlantedBug, testing::ValuesIn(bugs),
                         [](const auto& bug) { return std::string(bug.param.name); });

}  // namespace
}  // namespace shardstone::validation
