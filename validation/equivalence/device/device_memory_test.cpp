// SPDX-License-Identifier: BSD-3-Clause
// What a trainer takes of a GPU's memory, on every rank of every layout: to the byte what is
// predicted, since by that a plan is refused.
#include <gtest/gtest.h>

#include <array>
#include <string>

#include "benchmarks/training/run/memory.hpp"
#include "collectives/executors/gpu/gpu_of_rank.hpp"
#include "kernels/tensor/cuda.hpp"
#include "validation/equivalence/layouts.hpp"
#include "validation/unit/mpi_test_main.hpp"

namespace shardstone::validation {
namespace {

using namespace reference;

void expect_predicted(const Layout& layout, const std::string& precision) {
    SCOPED_TRACE(layout.name() + " in " + precision);
    TrainOptions options = equivalence_training(1);
    options.precision = find_precision(precision);
    options = with_layout(options, layout);
    const Dataset text = equivalence_text();
    Trainer<float, Cuda> trainer(world(), options, text, step_program(options, world().rank()));
    for (const auto& one : benchmarks::memory_by_class(trainer, options)) {
        EXPECT_EQ(one.measured_bytes, one.formula_bytes) << one.name;
    }
}

TEST(DeviceMemory, IsAsPredictedInEveryLayout) {
    collectives::choose_gpu_of_rank(world());
    constexpr std::array precisions{"fp32", "bf16", "fp8"};
    std::size_t found = 0;
    for (const Layout& layout : equivalence_layouts()) {
        if (layout.parsed_plan().ranks() != world().size()) continue;
        if (!layout.works_between_gpus()) continue;
        const std::size_t usable = layout.experts.any() ? 2 : 3;  // FP8 products have no experts
        expect_predicted(layout, precisions[found++ % usable]);
    }
    EXPECT_GT(found, 1U);
}

}  // namespace
}  // namespace shardstone::validation
