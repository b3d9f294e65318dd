// SPDX-License-Identifier: BSD-3-Clause
// Training reaches the true optimum: the entropy rate of a language that is known exactly.
#include "validation/unit/reference/trainer/synthetic_language.hpp"

#include <gtest/gtest.h>

namespace shardstone::validation {
namespace {

using namespace reference;

// The next symbol depends on the one before: a few hundred steps. 2 % is the promise; 2048
// sequences of 32 tokens leave a standard error of under half a percent of the loss.
TEST(SyntheticLanguage, OfOrderOneIsLearntQuickly) {
    const MarkovLanguage language(1, 8, 1);
    TrainOptions options = language_training();
    options.batch = {8 * world().size(), 8, 32};
    options.steps = 400;
    options.eval_sequences = 2048;
    const double found = excess_over_entropy_rate(language, options, 500000);
    EXPECT_LT(found, 0.02);
    EXPECT_GT(found, -0.02);
}

}  // namespace
}  // namespace shardstone::validation
