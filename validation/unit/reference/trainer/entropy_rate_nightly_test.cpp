// SPDX-License-Identifier: BSD-3-Clause
// Training reaches the true optimum: the entropy rate of a language that is known exactly.
#include <gtest/gtest.h>

#include "validation/unit/reference/trainer/synthetic_language.hpp"

namespace shardstone::validation {
namespace {

using namespace reference;

// The next symbol depends on two, which attention has to bring together: 2000 steps of 2048 tokens.
TEST(SyntheticLanguage, OfOrderTwoIsLearnt) {
    const MarkovLanguage language(2, 8, 1);
    TrainOptions options = language_training();
    options.model.channels = 64;
    options.model.heads = 4;
    options.model.context = 128;
    options.batch = {16, 16 / world().size(), 128};
    options.steps = 2000;
    const double found = excess_over_entropy_rate(language, options, 4000000);
    EXPECT_LT(found, 0.02);
    EXPECT_GT(found, -0.02);
}

}  // namespace
}  // namespace shardstone::validation
