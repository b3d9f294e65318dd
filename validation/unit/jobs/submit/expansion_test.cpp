// SPDX-License-Identifier: BSD-3-Clause
// Expressions, and how a study on a site becomes points: numbers, names, nodes, words.
#include <gtest/gtest.h>

#include "jobs/submit/expression.hpp"
#include "jobs/submit/shell_words.hpp"
#include "validation/unit/jobs/submit/examples.hpp"
#include "validation/unit/jobs/submit/refused.hpp"

namespace shardstone::submit {
namespace {

using Words = std::vector<std::string>;

TEST(Expression, ProductsAndExactQuotients) {
    const Sizes sizes{24, 3, 8};
    EXPECT_EQ(expand("dp={ranks}", sizes), "dp=24");
    EXPECT_EQ(expand("dp={ranks/8},tp=8", sizes), "dp=3,tp=8");
    EXPECT_EQ(expand("{4*ranks}", sizes), "96");
    EXPECT_EQ(expand("{ nodes * ranks_per_node / 6 * 5 }", sizes), "20");
    EXPECT_EQ(expand("{nodes}/{ranks_per_node}", sizes), "3/8");
    EXPECT_EQ(expand("nothing", sizes), "nothing");
}

TEST(Expression, RefusesByValue) {
    const Sizes sizes{12, 3, 4};
    const auto refusal = [&](const char* text) { return refusal_of([&] { expand(text, sizes); }); };
    EXPECT_EQ(refusal("dp={ranks/8}"),
              "'dp={ranks/8}' with ranks = 12, nodes = 3, ranks_per_node = 4: 12 is not divisible "
              "by 8: leave this number of ranks out");
    for (const char* text : {"{rank}", "{}", "{2+ranks}", "{ranks/0}", "{-1*ranks}", "{ranks*}"}) {
        EXPECT_NE(refusal(text).find("is no whole number from 1 on"), std::string::npos) << text;
    }
    for (const char* text : {"{ranks", "ranks}", "{{ranks}}", "{"}) {
        EXPECT_NE(refusal(text).find("braces do not match"), std::string::npos) << text;
    }
    EXPECT_NE(refusal("{1000000*1000000*1000000}").find("over 1e12"), std::string::npos);
}

TEST(Expansion, EveryCombinationOnceBeforeAnyTwice) {
    const Plan plan = small_plan();
    std::vector<std::string> ids;
    for (const Point& point : plan.points) ids.push_back(point.id);
    EXPECT_EQ(ids, (Words{"ranks-4_plan-dp-4_run-1", "ranks-4_plan-dp-2-tp-2_run-1",
                          "ranks-4_plan-dp-4_run-2", "ranks-4_plan-dp-2-tp-2_run-2",
                          "ranks-8_plan-dp-8_run-1", "ranks-8_plan-dp-4-tp-2_run-1",
                          "ranks-8_plan-dp-8_run-2", "ranks-8_plan-dp-4-tp-2_run-2"}));
    EXPECT_EQ(plan.points[6].index, 2);
    EXPECT_EQ(plan.points[6].nodes, 2);
    EXPECT_EQ(plan.points[1].nodes, 1);
    EXPECT_EQ(plan.points[6].arguments, (Words{"train", "--global-batch", "16", "--model", "nano",
                                               "--plan", "dp=8", "--steps", "3"}));
}

TEST(Expansion, TheStudyOutweighsTheSite) {
    const Plan plan = small_plan(with(small_study, "model =", "steps = 50\nmodel ="));
    EXPECT_EQ(shell_words(plan.points[0].arguments),
              "train --global-batch 8 --model nano --steps 50 --plan dp=4");
}

TEST(Expansion, WordsAsOnTheCommandLine) {
    const Plan plan = small_plan(with(small_study, "model = \"nano\"",
                                      "b = 4\nno-overlap = true\nreproducible = false\nlr = "
                                      "\"-1\"\nop = \"all_reduce\""));
    EXPECT_EQ(shell_words(plan.points[0].arguments),
              "train -b 4 --global-batch 8 --lr=-1 --no-overlap --op all_reduce --plan dp=4 "
              "--steps 3");
}

TEST(Expansion, CasesGoTogether) {
    const std::string study = with(small_study,
                                   "[vary]\nplan = [\"dp={ranks}\", "
                                   "\"dp={ranks/2},tp=2\"]",
                                   "[[case]]\nname = \"stages of two\"\nplan = "
                                   "\"pp={ranks}\"\nmicro-batch = 1\n[[case]]\nname = \"dp\"\nplan "
                                   "= \"dp={ranks}\"");
    const Plan plan = small_plan(study);
    EXPECT_EQ(plan.points.size(), 8U);
    EXPECT_EQ(plan.points[0].id, "ranks-4_stages-of-two_run-1");
    EXPECT_EQ(shell_words(plan.points[0].arguments),
              "train --global-batch 8 --model nano --micro-batch 1 --plan pp=4 --steps 3");
    EXPECT_EQ(plan.points[1].id, "ranks-4_dp_run-1");
    EXPECT_EQ(shell_words(plan.points[1].arguments),
              "train --global-batch 8 --model nano --plan dp=4 --steps 3");
}

TEST(Expansion, RanksMaySpreadOverMoreNodes) {
    const std::string spread = "ranks_per_node = \"{ranks/2}\"\ncommand";
    const Plan plan = small_plan(with(small_study, "command", spread));
    EXPECT_EQ(plan.points[0].nodes, 2);
    EXPECT_EQ(plan.points[0].ranks_per_node, 2);
    EXPECT_EQ(plan.points[7].ranks_per_node, 4);
}

TEST(Expansion, RefusesWhatFitsNoNode) {
    const auto refusal = [](const std::string& study, const std::string& site) {
        return refusal_of([&] { small_plan(study, site); });
    };
    EXPECT_EQ(refusal(with(small_study, "[4, 8]", "[4, 10]"), small_site),
              "10 ranks do not fill nodes of 4 evenly: change the study's ranks, or "
              "ranks_per_node of site place");
    EXPECT_EQ(refusal(with(small_study, "[4, 8]", "[4, 12]"), small_site),
              "12 ranks need 3 nodes of 4: site place has 2");
    EXPECT_EQ(refusal(with(small_study, "command", "ranks_per_node = \"8\"\ncommand"), small_site),
              "ranks_per_node = 8 of study small: site place has 4 per node");
    EXPECT_NE(refusal(with(small_study, "\"dp={ranks/2},tp=2\"", "\"dp {ranks}\""), small_site)
                  .find("two points are called ranks-4_plan-dp-4_run-1"),
              std::string::npos);
}

TEST(ShellWords, QuoteWhatAShellWouldRead) {
    EXPECT_EQ(shell_words({"dp=2,tp=2", "a b", "it's", "$HOME", ""}),
              "'dp=2,tp=2' 'a b' 'it'\\''s' '$HOME' ''");
}

}  // namespace
}  // namespace shardstone::submit
