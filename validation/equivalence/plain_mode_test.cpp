// SPDX-License-Identifier: BSD-3-Clause
// Plain FP32 sums stay within the rounding of a sum of the reproducible ones.
#include <gtest/gtest.h>

#include <cmath>

#include "collectives/executors/collective.hpp"
#include "kernels/base/element_type.hpp"
#include "validation/equivalence/layouts.hpp"
#include "validation/unit/mpi_test_main.hpp"

namespace shardstone::validation {
namespace {

using namespace reference;

/// One step with one sequence per rank, so that each rank contributes exactly one FP32 number to
/// each gradient.
std::vector<float> gradients_of_one_step(bool reproducible) {
    TrainOptions options = equivalence_training(gpt_preset("nano"), 1);
    options.batch.global_batch = world().size();
    options.plan.data = world().size();
    options.reproducible = reproducible;
    const Dataset text = equivalence_text();
    Trainer trainer(world(), options, text, checked_step_program(options, world().rank()));
    trainer.step();
    const auto gradients = trainer.model().gradients();
    return {gradients.begin(), gradients.end()};
}

/// Sum over ranks of the magnitudes of this step's contributions.
std::vector<double> magnitudes_of_contributions() {
    TrainOptions options = equivalence_training(gpt_preset("nano"), 1);
    const std::int64_t sequence = options.batch.sequence;
    const Dataset text = equivalence_text();
    std::vector<Token> inputs(static_cast<std::size_t>(sequence));
    std::vector<Token> targets(inputs.size());
    Sampler(text.train(), sequence, options.seed).fill(0, world().rank(), inputs, targets);
    Gpt<float> model(options.model, 1, sequence);
    model.initialize(options.seed);
    model.forward(inputs, targets);
    model.backward(1.0 / static_cast<double>(world().size() * sequence));
    std::vector<double> magnitudes;
    for (const float gradient : model.gradients()) magnitudes.push_back(std::abs(gradient));
    collectives::AllReduce sum(world(), "ring", std::ssize(magnitudes), ElementType::fp64,
                               collectives::Reduction::sum);
    sum.start(magnitudes.data());
    sum.wait();
    return magnitudes;
}

TEST(PlainMode, GradientsAreWithinTheRoundingOfASum) {
    const auto plain = gradients_of_one_step(false);
    const auto exact = gradients_of_one_step(true);
    const auto magnitudes = magnitudes_of_contributions();
    // Any order of P - 1 FP32 additions of x_1 .. x_P errs by at most g(P-1) sum|x_i| with
    // g(n) = n u / (1 - n u) (Higham, "Accuracy and Stability of Numerical Algorithms", 4.2), and
    // the exact sum is rounded once: u sum|x_i|. What lies below its grid: P * 2^-67.
    constexpr double u = element_traits<float>::unit_roundoff;
    const double n = world().size() - 1;
    const double factor = n * u / (1.0 - n * u) + u;
    const double below_grid = world().size() * 0x1p-67;
    std::size_t different = 0;
    for (std::size_t i = 0; i < plain.size(); ++i) {
        const double error = std::abs(static_cast<double>(plain[i]) - exact[i]);
        ASSERT_LE(error, factor * magnitudes[i] + below_grid) << "gradient " << i;
        different += static_cast<std::size_t>(plain[i] != exact[i]);
    }
    // Up to two ranks there is at most one addition, correctly rounded; beyond, the bound is used.
    if (world().size() <= 2) {
        EXPECT_EQ(different, 0U);
    } else {
        EXPECT_GT(different, 0U);
    }
}

}  // namespace
}  // namespace shardstone::validation
