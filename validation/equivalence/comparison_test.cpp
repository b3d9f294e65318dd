// SPDX-License-Identifier: BSD-3-Clause
// "Equal bit by bit" is said of losses, norms, gradients, weights and moments of every step: one
// changed bit in any of them is named, whatever the losses are.
#include "validation/equivalence/comparison.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "validation/equivalence/matrix.hpp"

namespace shardstone::validation {
namespace {

using reference::GptConfig;
using reference::ParameterLayout;
using Steps = std::vector<StepState<float>>;

const ParameterLayout& small_layout() {
    static const GptConfig model{"small", 7, 4, 1, 1, 2};
    static const ParameterLayout layout(model);
    return layout;
}

/// Three steps in which no number is another.
Steps some_steps() {
    float next = 1.0F;
    const auto fresh = [&](std::vector<float>& values) {
        values.resize(static_cast<std::size_t>(small_layout().count()));
        for (float& value : values) value = next += 0.25F;
    };
    Steps steps(3);
    for (auto& step : steps) {
        step.loss = next += 0.25F;
        step.gradient_norm = next += 0.25F;
        fresh(step.model.weights);
        fresh(step.model.gradients);
        fresh(step.model.first_moments);
        fresh(step.model.second_moments);
    }
    return steps;
}

/// Where the training with this change parts from the one without.
std::string place_of(const std::function<void(Steps&)>& change) {
    Steps changed = some_steps();
    change(changed);
    const auto found = first_difference(small_layout(), some_steps(), changed);
    return found ? found->text() : "nowhere";
}

void change_last_bit(float& value) {
    value = std::nextafter(value, 1e9F);
}

TEST(FirstDifference, IsNowhereBetweenEquals) {
    EXPECT_EQ(place_of([](Steps&) {}), "nowhere");
}

TEST(FirstDifference, IsOneBitOfAnythingInAnyStep) {
    using Field = std::vector<float> ModelState<float>::*;
    const std::vector<std::pair<Field, std::string>> fields{
        {&ModelState<float>::weights, "weight of "},
        {&ModelState<float>::gradients, "gradient of "},
        {&ModelState<float>::first_moments, "first moment of "},
        {&ModelState<float>::second_moments, "second moment of "}};
    for (const std::size_t step : {0, 1, 2}) {
        for (const auto& tensor : small_layout().parameters()) {
            for (const auto& [field, name] : fields) {
                const auto last = static_cast<std::size_t>(tensor.offset + tensor.count - 1);
                EXPECT_EQ(place_of([&, field = field](Steps& steps) {
                              change_last_bit((steps[step].model.*field)[last]);
                          }),
                          "step " + std::to_string(step + 1) + ": " + name + tensor.name);
            }
        }
    }
}

TEST(FirstDifference, IsALossANormOrALeftOutUpdateOfAnyStep) {
    EXPECT_EQ(place_of([](Steps& s) { s[0].loss += 1e-12; }), "step 1: loss");
    EXPECT_EQ(place_of([](Steps& s) { s[1].loss += 1e-12; }), "step 2: loss");
    EXPECT_EQ(place_of([](Steps& s) { s[2].loss += 1e-12; }), "step 3: loss");
    EXPECT_EQ(place_of([](Steps& s) { s[1].gradient_norm += 1e-12; }), "step 2: norm");
    EXPECT_EQ(place_of([](Steps& s) { s[1].skipped = true; }), "step 2: skipped update");
}

// What the record says of a verdict: equal without a difference and, where it is repeated, with the
// same bits twice.
TEST(LayoutVerdict, IsEqualOnlyWithoutADifferenceAndTwice) {
    const Layout bitwise{.plan = "dp=2"}, bounded{.plan = "tp=2"};
    ASSERT_TRUE(bitwise.claims_bits());
    ASSERT_FALSE(bounded.claims_bits());
    LayoutVerdict differs{bitwise, {}}, changes{bounded, {}};
    differs.difference = Difference{1, "weight of final_norm.bias", INFINITY};
    changes.repeats = false;
    const std::vector<LayoutVerdict> verdicts{{bitwise, {}}, {bounded, {}}, differs, changes};
    const auto table = table_of(verdicts);
    // This very vector is what GCC 12 spoils without the flag in cmake/ShardstoneCompile.cmake.
    EXPECT_EQ(table.column("equal").numbers, (std::vector{1.0, 1.0, 0.0, 0.0}));
    EXPECT_EQ(table.column("claim").texts,
              (std::vector<std::string>{"bitwise", "bounded", "bitwise", "bounded"}));
    const auto checks = checks_of(verdicts);
    EXPECT_TRUE(checks[0].passed && checks[1].passed);
    EXPECT_FALSE(checks[2].passed);
    EXPECT_EQ(checks[2].detail, "step 1: weight of final_norm.bias");
    EXPECT_FALSE(checks[3].passed);
    EXPECT_EQ(checks[3].detail, "a second run gave different bits");
    LayoutVerdict turned{bounded, {}};
    turned.turned = 2;
    EXPECT_EQ(checks_of({turned}).front().detail,
              "gradients within 0 of their bound; 2 choices between nearly tied experts differ");
    turned.difference = differs.difference;
    EXPECT_EQ(checks_of({turned}).front().detail, checks[2].detail);
}

}  // namespace
}  // namespace shardstone::validation
