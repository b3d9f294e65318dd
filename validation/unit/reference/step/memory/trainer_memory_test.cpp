// SPDX-License-Identifier: BSD-3-Clause
// A trainer's memory on every rank against the prediction, and under a limit.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <string>

#include "benchmarks/training/run/memory.hpp"
#include "kernels/base/error.hpp"
#include "kernels/tensor/buffer.hpp"
#include "reference/step/memory_fit.hpp"
#include "validation/unit/mpi_test_main.hpp"
#include "validation/unit/reference/step/memory/memory_specs.hpp"

namespace shardstone::validation {
namespace {

using namespace reference;

TrainOptions options_of(const StepSpec& spec) {
    TrainOptions options;
    static_cast<StepSpec&>(options) = spec;
    options.eval_sequences = 0;
    return options;
}

/// Every axis over all ranks of this job, and all of them together. Few messages: the ranks may
/// share cores.
std::vector<StepSpec> specs() {
    const std::string ranks = std::to_string(world().size());
    std::vector<std::string> plans{"dp=" + ranks};
    if (world().size() > 1) {
        for (const char* zero : {",zero=1", ",zero=2", ",zero=3"}) plans.push_back(plans[0] + zero);
    }
    if (world().size() > 1 && world().size() <= 5) {
        plans.push_back("tp=" + ranks);
        plans.push_back("pp=" + ranks);
    }
    if (world().size() == 8) plans.push_back("dp=2,tp=2,pp=2,zero=3,sp=1");
    if (world().size() == 2) plans.push_back("ep=2");
    if (world().size() >= 4) {
        plans.push_back("dp=" + std::to_string(world().size() / 2) + ",ep=2,zero=2");
    }
    std::vector<StepSpec> all;
    for (const std::string& plan : plans) {
        all.push_back(spec_of(plan));
        const bool has_experts = plan.find("ep=") != std::string::npos;
        if (has_experts) all.back().model.experts = {8, 2, all.size() % 2 == 0 ? 1.25 : 0.0};
        all.back().batch.global_batch = 8;
        all.back().communication.bucket_bytes = 100'000;
    }
    return all;
}

Dataset some_text() {
    std::vector<Token> tokens(5000);
    for (std::size_t i = 0; i < tokens.size(); ++i) tokens[i] = static_cast<Token>(i * i % 61);
    return Dataset::from_tokens("squares", 61, tokens, {});
}

/// Ranks that outnumber cores take far longer to make the groups of a plan than to make a trainer,
/// so the trainers of plans that split alike share them.
class TrainerMemory : public testing::Test {
  protected:
    static void TearDownTestSuite() { groups_.clear(); }

    template <class Real>
    static Trainer<Real> trainer_of(const StepSpec& spec, const Dataset& text) {
        return {world(), options_of(spec), text, step_program(spec, world().rank()),
                groups_of(spec.plan)};
    }

    template <class Real>
    static void expect_predicted(const StepSpec& spec, const Dataset& text) {
        auto trainer = trainer_of<Real>(spec, text);
        for (auto& each : benchmarks::memory_by_class(trainer, options_of(spec))) {
            EXPECT_EQ(each.measured_bytes, each.formula_bytes)
                << each.name << " " << to_string(spec.plan);
            EXPECT_TRUE(each.agrees()) << each.name;
            each.measured_bytes += each.formula_bytes / 45 + 1;
            EXPECT_FALSE(each.agrees()) << each.name;  // more than 2 % would be seen
        }
    }

    static bool trains_within(const StepSpec& spec, const Dataset& text, std::int64_t limit_bytes) {
        set_memory_limit_bytes(limit_bytes);
        bool trains = true;
        try {
            auto trainer = trainer_of<float>(spec, text);
            const std::int64_t before = Host::in_use_bytes();
            trainer.step();
            EXPECT_EQ(Host::in_use_bytes(), before) << "a step takes memory of its own";
        } catch (const Error&) {
            trains = false;
        }
        set_memory_limit_bytes(0);
        return trains;
    }

  private:
    static std::shared_ptr<PlanGroups> groups_of(ParallelPlan plan) {
        plan.zero = plan.sequence = 0;
        auto& groups = groups_[to_string(plan)];
        if (!groups) groups = std::make_shared<PlanGroups>(world(), plan);
        return groups;
    }

    static inline std::map<std::string, std::shared_ptr<PlanGroups>> groups_;
};

TEST_F(TrainerMemory, IsAsPredictedOnEveryRank) {
    const Dataset text = some_text();
    bool reproducible = false;
    for (StepSpec spec : specs()) {
        spec.reproducible = reproducible;
        reproducible ? expect_predicted<double>(spec, text) : expect_predicted<float>(spec, text);
        reproducible = !reproducible;
    }
}

TEST_F(TrainerMemory, IsAsPredictedWithANarrowWire) {
    const Dataset text = some_text();
    for (StepSpec spec : specs()) {
        spec.communication.gradient_wire = Storage::bf16;
        expect_predicted<float>(spec, text);
    }
}

TEST_F(TrainerMemory, IsAsPredictedInEveryPrecision) {
    const Dataset text = some_text();
    for (const Precision& precision : precisions()) {
        for (StepSpec spec : specs()) {
            if (precision.fp8_products && spec.model.experts.any()) continue;
            spec.precision = precision;
            expect_predicted<float>(spec, text);
        }
    }
}

TEST_F(TrainerMemory, ALimitIsKept) {
    if (world().size() == 1) GTEST_SKIP() << "nothing to split over";
    const Dataset text = some_text();
    const StepSpec whole = specs().front();
    const std::int64_t limit = largest_rank(whole, {}).bytes() * 9 / 10;
    EXPECT_THROW(require_fits_memory(whole, {}, limit), Error);
    EXPECT_FALSE(trains_within(whole, text, limit));
    const auto fit = nearest_fit(whole, {}, limit);
    ASSERT_TRUE(fit);
    EXPECT_TRUE(trains_within(*fit, text, limit));
}

/// What is predicted for a rank is enough for it, and a byte less is not.
TEST_F(TrainerMemory, ThePredictionIsTheLeastLimit) {
    const Dataset text = some_text();
    for (const Precision& precision : precisions()) {
        StepSpec spec = specs().back();
        if (precision.fp8_products && spec.model.experts.any()) continue;
        if (precision.element_bytes() != sizeof(float)) continue;  // trains_within() is of float
        spec.precision = precision;
        const auto memory = memory_options(options_of(spec));
        const std::int64_t needed = total_bytes(predicted_memory(spec, world().rank(), memory));
        EXPECT_TRUE(trains_within(spec, text, needed)) << precision.name;
        if (world().size() > 1) continue;  // one that gives up leaves the others waiting
        EXPECT_FALSE(trains_within(spec, text, needed - 1)) << precision.name;
    }
}

}  // namespace
}  // namespace shardstone::validation
