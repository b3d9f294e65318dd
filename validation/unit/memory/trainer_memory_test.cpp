// SPDX-License-Identifier: BSD-3-Clause
// A trainer's memory on every rank against the prediction, and under a limit.
#include <gtest/gtest.h>

#include <algorithm>

#include "kernels/base/error.hpp"
#include "kernels/tensor/buffer.hpp"
#include "reference/step/memory_fit.hpp"
#include "reference/trainer/memory.hpp"
#include "validation/unit/memory/memory_specs.hpp"
#include "validation/unit/mpi_test_main.hpp"

namespace shardstone::validation {
namespace {

using namespace reference;

TrainOptions options_of(const StepSpec& spec) {
    TrainOptions options;
    static_cast<StepSpec&>(options) = spec;
    return options;
}

/// All ways to split over the ranks of this job one axis at a time, and one over all.
std::vector<StepSpec> specs() {
    const std::string ranks = std::to_string(world().size());
    std::vector<StepSpec> all{spec_of("dp=" + ranks)};
    if (world().size() == 1) return all;
    for (const char* zero : {"1", "2", "3"}) {
        all.push_back(spec_of("dp=" + ranks + ",zero=" + zero));
    }
    if (world().size() <= 5) all.push_back(spec_of("tp=" + ranks));
    if (world().size() <= 7) all.push_back(spec_of("pp=" + ranks));
    if (world().size() == 8) all.push_back(spec_of("dp=2,tp=2,pp=2,zero=3,sp=1"));
    return all;
}

Dataset some_text() {
    std::vector<Token> tokens(5000);
    for (std::size_t i = 0; i < tokens.size(); ++i) tokens[i] = static_cast<Token>(i * i % 61);
    return Dataset::from_tokens("squares", 61, tokens, {});
}

template <class Real>
void expect_predicted(const StepSpec& spec, const Dataset& text) {
    const TrainOptions options = options_of(spec);
    Trainer<Real> trainer(world(), options, text, step_program(spec, world().rank()));
    trainer.step();
    for (MemoryClass each : memory_by_class(trainer, options)) {
        EXPECT_EQ(each.measured_bytes, each.formula_bytes)
            << each.name << " " << to_string(spec.plan);
        EXPECT_TRUE(each.agrees()) << each.name;
        each.measured_bytes += each.formula_bytes / 45;
        EXPECT_FALSE(each.agrees()) << each.name;  // more than 2 % would be seen
    }
}

TEST(TrainerMemory, IsAsPredictedOnEveryRank) {
    const Dataset text = some_text();
    for (StepSpec spec : specs()) {
        for (const bool reproducible : {false, true}) {
            spec.reproducible = reproducible;
            expect_predicted<float>(spec, text);
            expect_predicted<double>(spec, text);
        }
    }
}

bool trains_within(const StepSpec& spec, const Dataset& text, std::int64_t limit_bytes) {
    set_memory_limit_bytes(limit_bytes);
    bool trains = true;
    try {
        Trainer<float> trainer(world(), options_of(spec), text, step_program(spec, world().rank()));
        trainer.step();
    } catch (const Error&) {
        trains = false;
    }
    set_memory_limit_bytes(0);
    return trains;
}

TEST(TrainerMemory, ALimitIsKept) {
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

}  // namespace
}  // namespace shardstone::validation
