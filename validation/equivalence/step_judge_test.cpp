// SPDX-License-Identifier: BSD-3-Clause
// A position that one rank sends to other experts is excused where they are nearly tied, and
// nowhere else; and nothing else is excused along with it.
#include "validation/equivalence/step_judge.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "kernels/base/random.hpp"
#include "validation/equivalence/layouts.hpp"

namespace shardstone::validation {
namespace {

using namespace reference;
using Gradient = std::vector<float>;

/// One rank is the layout, too, with turns and spoiled gradients.
class StepJudgeOfExperts : public testing::TestWithParam<double> {
  protected:
    StepJudgeOfExperts()
        : text_(equivalence_text()),
          layout_(options(), text_),
          judge_(options(), text_),
          whole_(options().model) {
        layout_.gradients(1);
        routes_ = layout_.routes();
        turns_ = turns_within(routes_, std::vector<double>(routes_.front().size(), INFINITY));
        std::ranges::sort(turns_, {}, [&](const Turn& turn) { return lead_of(turn, routes_); });
    }

    static TrainOptions options() {
        TrainOptions options = equivalence_training(1);
        options.batch.global_batch = 4;
        options.precision = find_precision("bf16");
        options.model.experts = {.count = 4, .top_k = 2, .capacity = GetParam()};
        return options;
    }
    static double lead_of(const Turn& turn, const Routes& routes) {
        return lead_of_choice(routes[static_cast<std::size_t>(turn.micro_batch)]
                                    [static_cast<std::size_t>(turn.layer)],
                              turn.position);
    }
    std::vector<Turn> closest(int count) const { return {turns_.begin(), turns_.begin() + count}; }

    template <class Spoil>
    std::optional<Difference> judged(const std::vector<Turn>& turns, const Spoil& spoil) {
        const ModelState<float> before = layout_.state();
        layout_.turn(turns);
        auto gradients = layout_.gradients(1);
        spoil(gradients.values);
        StepState<float> after{gradients.loss, layout_.norm(gradients.values), {}};
        layout_.update(1, gradients.values, after.gradient_norm);
        after.model = layout_.state();
        after.model.gradients = gradients.values;
        layout_.set_state(before);
        return judge_.judge(1, before, after);
    }
    std::optional<Difference> judged(const std::vector<Turn>& turns) {
        return judged(turns, [](Gradient&) {});
    }
    std::optional<Difference> scaled(const std::vector<Turn>& turns, const std::string& name,
                                     double factor) {
        const auto tensor = std::ranges::find(whole_.parameters(), name, &ParameterInfo::name);
        EXPECT_NE(tensor, whole_.parameters().end()) << name;
        return judged(turns, [&](Gradient& gradients) {
            const auto first = gradients.begin() + tensor->offset;
            std::for_each(first, first + tensor->count,
                          [&](float& value) { value *= static_cast<float>(factor); });
        });
    }

    Dataset text_;
    SerialTrainer<float> layout_;
    StepJudge<float> judge_;
    ParameterLayout whole_;
    Routes routes_;
    std::vector<Turn> turns_;  ///< the closest first
};

TEST_P(StepJudgeOfExperts, FindsNothingWhereNothingIsTurned) {
    EXPECT_EQ(turns_.size(), 4U * 5U * 16U);
    EXPECT_FALSE(judged({}));
    EXPECT_EQ(judge_.turned(), 0);
    EXPECT_EQ(judge_.worst(), 0.0);
}

// Step after step, also a step without a turn behind one with turns.
TEST_P(StepJudgeOfExperts, FindsTheClosestChoicesThatAreTurned) {
    int turned = 0;
    for (const int count : {1, 0, 3, 4}) {
        const auto found = judged(closest(count));
        EXPECT_FALSE(found) << found->text();
        EXPECT_EQ(judge_.turned(), turned += count);
        EXPECT_EQ(judge_.worst(), 0.0);
    }
}

TEST_P(StepJudgeOfExperts, FindsThemBesideRoundings) {
    const RandomStream random(1, "roundings");
    const auto found = judged(closest(4), [&](Gradient& gradients) {
        for (std::size_t i = 0; i < gradients.size(); ++i) {
            const double there = random.uniform(i) - 0.5;
            gradients[i] *= static_cast<float>(1.0 + 0x1p-7 * there);
        }
    });
    EXPECT_FALSE(found) << found->text();
    EXPECT_EQ(judge_.turned(), 4);
    const double worst = judge_.worst();
    EXPECT_GT(worst, 0.0);
    EXPECT_LE(worst, 1.0) << "what is left when the turns are made";
    EXPECT_FALSE(judged({}));
    EXPECT_EQ(judge_.worst(), worst) << "of all steps";
}

// One turn of these two is found, which leaves another deviation; told is that of the step as it
// is.
TEST_P(StepJudgeOfExperts, TellsTheDeviationBeforeAnyTurnOfWhatTurnsDoNotExplain) {
    const auto found = judged({turns_.front(), turns_.back()});
    ASSERT_TRUE(found);
    EXPECT_EQ(judge_.worst(), found->relative);
}

TEST_P(StepJudgeOfExperts, ExcusesNoChoiceThatIsNotClose) {
    const auto far = judged({turns_.back()});
    ASSERT_TRUE(far);
    EXPECT_GT(far->relative, 1.0);
    EXPECT_EQ(judge_.worst(), far->relative);
    EXPECT_TRUE(judged({turns_.front(), turns_.back()}));
    EXPECT_TRUE(judged({turns_[6]})) << "two percent of all are closer, by the measured error";
    EXPECT_EQ(judge_.turned(), 0);
}

/// In FP32, with the router's weights for one expert of a layer times a factor.
class NudgedRank {
  public:
    NudgedRank(TrainOptions options, const Dataset& text)
        : options_(std::move(options)), rank_(options_, text), state_(rank_.state()) {
        rank_.gradients(1);
    }
    const Routes& routes() const { return rank_.routes(); }
    Gradient gradients(const std::vector<Turn>& turns) {
        rank_.set_state(state_);
        rank_.turn(turns);
        return rank_.gradients(1).values;
    }
    Gradient nudged(const ParameterInfo& router, const Turn& turn, double factor) {
        ModelState<float> state = state_;
        const std::int64_t channels = options_.model.channels;
        const auto first = state.weights.begin() + router.offset + turn.expert * channels;
        std::for_each(first, first + channels,
                      [&](float& weight) { weight *= static_cast<float>(factor); });
        rank_.set_state(state);
        rank_.turn({});
        return rank_.gradients(1).values;
    }

  private:
    TrainOptions options_;
    SerialTrainer<float> rank_;
    ModelState<float> state_;
};

/// Number of choices that differ.
std::int64_t differences(const Routes& a, const Routes& b) {
    std::int64_t count = 0;
    for (std::size_t m = 0; m < a.size(); ++m) {
        for (std::size_t layer = 0; layer < a[m].size(); ++layer) {
            for (std::size_t i = 0; i < a[m][layer].choices.size(); ++i) {
                count += a[m][layer].choices[i] == b[m][layer].choices[i] ? 0 : 1;
            }
        }
    }
    return count;
}

// What a turn makes of the gradients, that of the router's own losses included, is what happens by
// itself where the router's weights are a little other ones.
TEST_P(StepJudgeOfExperts, TurnsAsARouterDoes) {
    TrainOptions in_fp32 = options();
    in_fp32.precision = {};
    in_fp32.model.experts.balance = 10.0;
    NudgedRank rank(in_fp32, text_);
    const Turn turn = turns_.front();
    const auto as_it_is = rank.gradients({});
    const Routes untouched = rank.routes();
    const auto turned = rank.gradients({turn});
    const Routes routes = rank.routes();
    ASSERT_EQ(differences(untouched, routes), 1);
    const auto router =
        std::ranges::find(whole_.parameters(), fmt::format("blocks.{}.router.weight", turn.layer),
                          &ParameterInfo::name);
    const auto apart = [&](const Gradient& a, const Gradient& b) {
        double sum = 0.0;
        for (std::int64_t i = router->offset; i < router->offset + router->count; ++i) {
            const auto at = static_cast<std::size_t>(i);
            sum += std::pow(static_cast<double>(a[at]) - static_cast<double>(b[at]), 2);
        }
        return std::sqrt(sum);
    };
    int found = 0;
    for (double nudge = 0x1p-14; nudge < 0x1p-4 && found == 0; nudge *= 2.0) {
        for (const double factor : {1.0 + nudge, 1.0 - nudge}) {
            const auto by_itself = rank.nudged(*router, turn, factor);
            if (differences(rank.routes(), routes) != 0) continue;
            ++found;
            EXPECT_LT(apart(by_itself, turned), 0.1 * apart(as_it_is, turned));
        }
    }
    EXPECT_EQ(found, 1);
}

// A fifth beyond the bound: that is more than a scaled gradient is like any turn's change.
TEST_P(StepJudgeOfExperts, ExcusesNothingElse) {
    for (const std::string name :
         {"token_embedding.weight", "blocks.2.experts.1.expansion.weight",
          "blocks.4.experts.0.projection.bias", "blocks.4.router.weight"}) {
        const auto far = scaled({}, name, 3.0);
        ASSERT_TRUE(far) << name;
        EXPECT_EQ(far->where, "gradient of " + name);
        for (const double sign : {1.0, -1.0}) {
            const double factor = 1.0 + sign * 2.4 / far->relative;
            for (const int count : {0, 2}) {
                EXPECT_TRUE(scaled(closest(count), name, factor)) << name << " times " << factor;
            }
        }
    }
    EXPECT_EQ(judge_.turned(), 0);
}

TEST_P(StepJudgeOfExperts, SearchesNotForNumbersThatAreNone) {
    const auto found = judged({}, [](Gradient& gradients) {
        gradients.back() = std::numeric_limits<float>::quiet_NaN();
    });
    ASSERT_TRUE(found);
    EXPECT_EQ(judge_.turned(), 0);
}

INSTANTIATE_TEST_SUITE_P(WithAndWithoutCapacity, StepJudgeOfExperts, testing::Values(0.0, 1.0));

}  // namespace
}  // namespace shardstone::validation
