// SPDX-License-Identifier: BSD-3-Clause
// Which changes of a study leave all points of its folder as they are.
#include "jobs/submit/growth.hpp"

#include <gtest/gtest.h>

#include <array>

#include "validation/unit/jobs/submit/examples.hpp"
#include "validation/unit/jobs/submit/refused.hpp"

namespace shardstone::submit {
namespace {

std::string obstacle(const std::string& now) {
    return what_keeps_from_growing(small_plan(now), small_study, "study.toml").value_or("");
}

struct Edit {
    const char* what;
    const char* instead;
    const char* obstacle;
};

TEST(GrowingStudy, KeepsItsPoints) {
    constexpr std::array edits{
        Edit{"small study", "study of more", ""},
        Edit{"minutes = 7", "minutes = 20", ""},
        Edit{"repetitions = 2", "repetitions = 3", ""},
        Edit{"[4, 8]", "[2, 4, 8]", ""},
        Edit{"[vary]", "# a remark\n[vary]", ""},
        Edit{"model = \"nano\"\nglobal-batch = \"{2*ranks}\"",
             "global-batch = \"{2*ranks}\"\nmodel = \"nano\"", ""},
    };
    for (const Edit& one : edits) {
        EXPECT_EQ(obstacle(with(small_study, one.what, one.instead)), one.obstacle) << one.instead;
    }
    EXPECT_EQ(obstacle(small_study), "");
}

TEST(GrowingStudy, LosesNone) {
    constexpr std::array edits{
        Edit{"repetitions = 2", "repetitions = 1", "point ranks-4_plan-dp-4_run-2 is not in it"},
        Edit{"[4, 8]", "[4]", "point ranks-8_plan-dp-8_run-1 is not in it"},
        Edit{"model = \"nano\"", "model = \"tiny\"",
             "point ranks-4_plan-dp-4_run-1 would run 'train --global-batch 8 --model tiny --plan "
             "dp=4 --steps 3' instead of 'train --global-batch 8 --model nano --plan dp=4 --steps "
             "3'"},
        Edit{"about", "placement = \"cyclic\"\nabout",
             "the ranks of point ranks-4_plan-dp-4_run-1 would be placed otherwise"},
        Edit{"about", "ranks_per_node = \"{ranks/2}\"\nabout",
             "the ranks of point ranks-4_plan-dp-4_run-1 would be placed otherwise"},
        Edit{"tp=2\"]", "tp=2\", \"dp={ranks/4},tp=4\"]",
             "point ranks-4_plan-dp-4_run-2 would be task 3 of its array instead of 2"},
    };
    for (const Edit& one : edits) {
        EXPECT_EQ(obstacle(with(small_study, one.what, one.instead)), one.obstacle) << one.instead;
    }
}

TEST(GrowingStudy, NamesAFileThatIsNoStudy) {
    const auto said = refusal_of(
        [] { what_keeps_from_growing(small_plan(), "about = 3\n", "there/study.toml"); });
    EXPECT_TRUE(said.starts_with("there/study.toml: ")) << said;
}

}  // namespace
}  // namespace shardstone::submit
