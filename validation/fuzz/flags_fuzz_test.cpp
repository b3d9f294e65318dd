// SPDX-License-Identifier: BSD-3-Clause
// Hostile flags of `shardstone collectives` (with and without --accuracy), `simulate`, `draw` and
// `train`: what their words are understood as is a plan within bounds or an Error. In process,
// below the command line's own parser.
#include <gtest/gtest.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <functional>

#include "benchmarks/collectives/accuracy/plan.hpp"
#include "benchmarks/collectives/simulation/simulation.hpp"
#include "benchmarks/collectives/sweep/plan.hpp"
#include "collectives/drawing/drawing.hpp"
#include "collectives/drawing/request.hpp"
#include "kernels/base/error.hpp"
#include "reference/trainer/options.hpp"
#include "validation/fuzz/mutator.hpp"

namespace shardstone::validation {
namespace {

using namespace shardstone::benchmarks;

/// Good values of all flags, which mutations start from.
std::vector<std::string> good_values() {
    return {"all_reduce",
            "all",
            "ring",
            "rabenseifner",
            "hierarchical:ring/rabenseifner",
            "over_shared_memory:ring",
            "mpi",
            "4",
            "64K",
            "1M",
            "4G",
            "8",
            "32",
            "1024",
            "fp32",
            "bf16",
            "sum",
            "0.5",
            "out.json"};
}

class Flags {
  public:
    explicit Flags(std::uint64_t seed) : mutator_(good_values(), nasty_words(), seed) {}

    /// Most flags keep their default, so that what comes behind a refusal is reached, too.
    void spoil(std::string& value) {
        if (mutator_.below(4) == 0) value = mutator_.next();
    }
    /// A list of mostly few, sometimes very many values.
    void spoil(std::vector<std::string>& values) {
        if (mutator_.below(4) != 0) return;
        values.assign(mutator_.below(4), "");
        for (std::string& value : values) value = mutator_.next();
        if (mutator_.below(50) == 0) values.resize(100'000, mutator_.next().substr(0, 16));
    }
    /// What a parser of numbers would have let through.
    template <class Number>
    void spoil_number(Number& value) {
        if (mutator_.below(4) != 0) return;
        const std::string text = mutator_.next();
        std::from_chars(text.data(), text.data() + text.size(), value);
    }

    std::size_t below(std::size_t bound) { return mutator_.below(bound); }

    /// For commands with so many flags that spoiling a quarter of them would be refused always.
    bool rarely() { return mutator_.below(3) == 0; }

  private:
    Mutator mutator_;
};

struct Counts {
    int accepted = 0, refused = 0;
};

void try_plan(const std::function<void()>& plan, Counts& counts) {
    try {
        plan();
        ++counts.accepted;
    } catch (const Error& error) {
        ++counts.refused;
        ASSERT_TRUE(is_one_line(error.what())) << error.what();
    }
}

void expect_both(const char* what, const Counts& counts) {
    std::printf("%s: %d accepted, %d refused\n", what, counts.accepted, counts.refused);
    EXPECT_GT(counts.accepted, 0);
    EXPECT_GT(counts.refused, fuzz_inputs() / 4);
}

void require_sizes(const std::vector<std::int64_t>& sizes_bytes) {
    ASSERT_FALSE(sizes_bytes.empty());
    ASSERT_LE(sizes_bytes.size(), 64U);
    ASSERT_GT(sizes_bytes.front(), 0);
    ASSERT_TRUE(std::ranges::is_sorted(sizes_bytes));
}

TEST(FlagsFuzz, CollectivesArePlannedOrRefused) {
    Flags flags(1);
    Counts counts;
    for (int input = 0; input < fuzz_inputs(); ++input) {
        SCOPED_TRACE(input);
        SweepOptions options;
        for (auto* value : {&options.smallest, &options.largest, &options.type, &options.reduction,
                            &options.in_place, &options.shares, &options.rotate, &options.json_path,
                            &options.hdf5_path}) {
            flags.spoil(*value);
        }
        for (auto* value :
             {&options.factor, &options.iterations, &options.warmup, &options.checks}) {
            flags.spoil_number(*value);
        }
        flags.spoil(options.operations);
        flags.spoil(options.algorithms);
        flags.spoil_number(options.seconds_per_point);
        flags.spoil_number(options.ranks_per_node);
        flags.spoil_number(options.root);
        try_plan([&] { require_sizes(plan_sweep(options).sizes_bytes); }, counts);
        if (HasFatalFailure()) return;
    }
    expect_both("collectives", counts);
}

TEST(FlagsFuzz, SimulationsArePlannedOrRefused) {
    Flags flags(2);
    Counts counts;
    collectives::ClusterDescription cluster;
    cluster.name = "fuzz";
    cluster.nodes = 100;
    cluster.ranks_per_node = 8;
    for (int input = 0; input < fuzz_inputs(); ++input) {
        SCOPED_TRACE(input);
        SimulationOptions options;
        for (auto* value : {&options.op, &options.smallest, &options.largest, &options.type}) {
            flags.spoil(*value);
        }
        flags.spoil(options.algorithms);
        flags.spoil(options.ranks);
        flags.spoil_number(options.factor);
        const auto plan = [&] {
            const SimulationPlan planned = plan_simulation(options, cluster);
            require_sizes(planned.sizes_bytes);
            for (const int ranks : planned.ranks) ASSERT_TRUE(ranks >= 1 && ranks <= 800);
        };
        try_plan(plan, counts);
        if (HasFatalFailure()) return;
    }
    expect_both("simulate", counts);
}

TEST(FlagsFuzz, AccuracyIsPlannedOrRefused) {
    Flags flags(3);
    Counts counts;
    for (int input = 0; input < fuzz_inputs(); ++input) {
        SCOPED_TRACE(input);
        SweepOptions chosen;
        flags.spoil(chosen.operations);
        flags.spoil(chosen.algorithms);
        flags.spoil_number(chosen.ranks_per_node);
        flags.spoil_number(chosen.root);
        AccuracyOptions options;
        flags.spoil(options.types);
        for (std::int64_t& elements : options.elements) flags.spoil_number(elements);
        flags.spoil_number(options.runs);
        const auto plan = [&] {
            const AccuracyPlan planned = plan_accuracy(chosen, options);
            ASSERT_FALSE(planned.types.empty());
            for (const OperationPlan& operation : planned.sweep.operations) {
                for (const std::int64_t length : lengths_of(planned, *operation.operation, 7)) {
                    ASSERT_GT(length, 0);
                }
            }
        };
        try_plan(plan, counts);
        if (HasFatalFailure()) return;
    }
    expect_both("accuracy", counts);
}

TEST(FlagsFuzz, DrawingsArePlannedOrRefused) {
    Flags flags(4);
    Counts counts;
    for (int input = 0; input < fuzz_inputs(); ++input) {
        SCOPED_TRACE(input);
        collectives::DrawRequest request{"ring", "all_reduce", 4, 0, 1};
        flags.spoil(request.operation);
        flags.spoil(request.algorithm);
        flags.spoil_number(request.ranks);
        flags.spoil_number(request.ranks_per_node);
        flags.spoil_number(request.segments);
        const auto plan = [&] {
            const auto planned = collectives::plan_drawing(request);
            const std::string svg =
                collectives::draw(planned.algorithm, planned.topology, planned.segments);
            ASSERT_TRUE(svg.ends_with("</svg>\n"));
        };
        try_plan(plan, counts);
        if (HasFatalFailure()) return;
    }
    expect_both("draw", counts);
}

/// A model, a batch and rates as a command line would set them, most of them unharmed.
reference::TrainOptions spoilt_training(Flags& flags) {
    reference::TrainOptions options;
    constexpr const char* plans[]{"dp=4", "dp=2,tp=2,sp=1", "tp=2,pp=2", "dp=2,pp=2,zero=3"};
    std::string model = "tiny", plan = plans[flags.below(std::size(plans))], optimizer = "adamw";
    std::string recompute = "none";
    for (auto* word : {&model, &plan, &optimizer, &recompute, &options.communication.all_reduce,
                       &options.pipeline.schedule}) {
        if (flags.rarely()) flags.spoil(*word);
    }
    options.recompute = reference::parse_recompute(recompute);
    if (flags.rarely()) options.pipeline.layers = {1, 3};
    if (flags.rarely()) options.frozen = {"blocks.1"};
    options.model = reference::gpt_preset(model);
    options.plan = reference::parse_plan(plan);
    choose_optimizer(options, parse_optimizer(optimizer));
    for (auto* size :
         {&options.model.layers, &options.model.heads, &options.model.channels,
          &options.model.vocabulary, &options.model.context, &options.batch.global_batch,
          &options.batch.micro_batch, &options.batch.sequence, &options.steps, &options.eval_every,
          &options.eval_sequences, &options.optimizer.warmup_steps, &options.batch.shortest,
          &options.communication.bucket_bytes}) {
        if (flags.rarely()) flags.spoil_number(*size);
    }
    for (auto* rate : {&options.optimizer.learning_rate, &options.optimizer.least_rate,
                       &options.optimizer.beta1, &options.optimizer.clip}) {
        if (flags.rarely()) flags.spoil_number(*rate);
    }
    return options;
}

TEST(FlagsFuzz, TrainingIsPlannedOrRefused) {
    Flags flags(5);
    Counts counts;
    const auto data = reference::Dataset::from_tokens(
        "fuzz", 256, std::vector<reference::Token>(1000, 1), std::vector<reference::Token>(300, 2));
    for (int input = 0; input < fuzz_inputs(); ++input) {
        SCOPED_TRACE(input);
        const auto plan = [&] {
            const reference::TrainOptions options = spoilt_training(flags);
            validate(options, 4, data);
            ASSERT_GT(options.model.parameter_count(), 0);
            ASSERT_GT(options.batch.global_tokens(), 0);
        };
        try_plan(plan, counts);
        if (HasFatalFailure()) return;
    }
    expect_both("train", counts);
}

}  // namespace
}  // namespace shardstone::validation
