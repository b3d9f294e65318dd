// SPDX-License-Identifier: BSD-3-Clause
// Parallel plans are read and written, or refused in one line.
#include <gtest/gtest.h>

#include "kernels/base/error.hpp"
#include "reference/step/batch.hpp"
#include "reference/step/mesh.hpp"
#include "reference/trainer/options.hpp"

namespace shardstone::validation {
namespace {

using namespace reference;

template <class Body>
std::string complaint(Body&& body) {
    try {
        body();
    } catch (const Error& error) {
        return error.what();
    }
    return "";
}

void expect_in(const std::string& words, const std::string& line) {
    EXPECT_NE(line.find(words), std::string::npos) << "'" << line << "'";
    EXPECT_EQ(line.find('\n'), std::string::npos);
}

TEST(Plan, IsReadInAnyOrderAndWrittenInOne) {
    const ParallelPlan plan = parse_plan("pp=2,zero=1,tp=3,dp=4,sp=1");
    EXPECT_EQ(plan, (ParallelPlan{4, 3, 2, 1, 1}));
    EXPECT_EQ(plan.ranks(), 24);
    EXPECT_EQ(to_string(plan), "dp=4,tp=3,pp=2,zero=1,sp=1");
    for (const char* text : {"dp=12", "tp=2", "pp=7", "dp=2,zero=3", "tp=2,pp=3,sp=1",
                             "dp=2,tp=2,cp=3", "dp=2,ep=2,tp=2", "ep=4,cp=2,zero=1"}) {
        EXPECT_EQ(to_string(parse_plan(text)), text);
    }
    EXPECT_EQ(to_string(parse_plan("tp=1,zero=0")), "dp=1");
    const ParallelPlan with_experts = parse_plan("tp=2,ep=3,dp=4");
    EXPECT_EQ(with_experts.expert, 3);
    EXPECT_EQ(with_experts.ranks(), 24);
    EXPECT_EQ(to_string(with_experts), "dp=4,ep=3,tp=2");
}

TEST(Plan, SaysWhatItDoesNotUnderstand) {
    const auto of = [](const char* text) { return complaint([&] { parse_plan(text); }); };
    expect_in("'' is not AXIS=NUMBER", of(""));
    expect_in("'four' is not AXIS=NUMBER", of("four"));
    expect_in("'' is not AXIS=NUMBER", of("dp=2,"));
    expect_in("dp=0 is not a number from 1 to", of("dp=0"));
    expect_in("tp=2x is not a number from 1 to", of("tp=2x"));
    expect_in("pp=-2 is not a number from 1 to", of("dp=2,pp=-2"));
    expect_in("dp=99999999999 is not a number from 1 to", of("dp=99999999999"));
    expect_in("zero=4 is not a number from 0 to 3", of("dp=2,zero=4"));
    expect_in("sp=2 is not a number from 0 to 1", of("tp=2,sp=2"));
    expect_in("axis 'dp' is given twice", of("dp=2,dp=2"));
    expect_in("unknown axis 'xp'; use dp, ep, tp, cp, pp, zero, sp", of("xp=2"));
    expect_in("ep=0 is not a number from 1 to", of("ep=0"));
    expect_in("needs more than 1048576 ranks", of("dp=2000,tp=2000"));
}

TEST(Plan, MustNeedTheRanksOfTheJob) {
    EXPECT_EQ(complaint([] { require_fits({3}, 3); }), "");
    EXPECT_EQ(complaint([] { require_fits({2, 2, 3}, 12); }), "");
    expect_in("plan dp=3 needs 3 ranks, but the job has 4: start mpiexec -n 3 or use --plan dp=4",
              complaint([] { require_fits({3}, 4); }));
    expect_in("or use --plan dp=4,tp=2", complaint([] { require_fits({2, 2}, 8); }));
    expect_in("or use --plan tp=2", complaint([] { require_fits({2, 2, 1, 1}, 2); }));
    EXPECT_EQ(complaint([] { require_fits(parse_plan("dp=2,ep=2"), 4); }), "");
    expect_in("or use --plan dp=3,ep=2",
              complaint([] { require_fits(parse_plan("dp=2,ep=2"), 6); }));
    expect_in("plan ep=2 needs 2 ranks, but the job has 3: start mpiexec -n 2",
              complaint([] { require_fits(parse_plan("ep=2"), 3); }));
}

TEST(Batch, MustDivide) {
    EXPECT_EQ(complaint([] { require_divides({24, 2, 8}, {4}); }), "");
    expect_in("16 sequences cannot be divided among 3 replicas", complaint([] {
                  require_divides({16, 1, 8}, {3});
              }));
    expect_in("the nearest that can is 15", complaint([] { require_divides({16, 1, 8}, {3}); }));
    EXPECT_EQ(complaint([] { require_divides({24, 2, 8}, parse_plan("dp=2,ep=3")); }), "");
    expect_in("the nearest that can is 18", complaint([] {
                  require_divides({16, 1, 8}, parse_plan("dp=2,ep=3"));
              }));
    expect_in("cannot be divided into micro-batches of 4", complaint([] {
                  require_divides({24, 4, 8}, {4});
              }));
    expect_in("must all be positive", complaint([] { require_divides({24, 0, 8}, {4}); }));
    expect_in("--shortest 9", complaint([] { require_divides({24, 2, 8, 9}, {4}); }));
}

TEST(Spec, SaysWhatAPlanCannotDo) {
    const auto of = [](const char* plan, auto change) {
        StepSpec spec;
        spec.plan = parse_plan(plan);
        spec.batch.global_batch = 24;
        change(spec);
        return complaint([&] { validate(spec); });
    };
    const auto nothing = [](StepSpec&) {};
    EXPECT_EQ(of("dp=2,tp=3,pp=4,zero=2,sp=1", nothing), "");
    expect_in("4 attention heads are too few for 5 tensor ranks; use at most tp=4",
              of("tp=5", nothing));
    expect_in("sequence parallelism works on tensor ranks", of("dp=2,sp=1", nothing));
    expect_in("positions per micro-batch are too few for 4",
              of("tp=4,sp=1", [](auto& s) { s.batch.sequence = 3; }));
    expect_in("ZeRO shards over replicas, and there is only one", of("tp=2,zero=1", nothing));
    expect_in("4 layers do not fill 5 stages", of("pp=5", nothing));
    expect_in("--stage-layers 1,4: give 2 positive numbers", of("pp=2", [](auto& s) {
                  s.pipeline.layers = {1, 4};
              }));
    expect_in("unknown pipeline schedule 'x'",
              of("pp=2", [](auto& s) { s.pipeline.schedule = "x"; }));
    expect_in("--chunks 2 with --schedule 1f1b",
              of("pp=2", [](auto& s) { s.pipeline.chunks = 2; }));
    expect_in("--chunks 2 with one stage", of("dp=2", [](auto& s) {
                  s.pipeline = {.schedule = "interleaved", .chunks = 2, .layers = {}};
              }));
    expect_in("--bucket-size 3", of("dp=2", [](auto& s) { s.communication.bucket_bytes = 3; }));
    expect_in("both halves of its backward pass", of("pp=2", [](auto& s) {
                  s.pipeline.schedule = "zb-h1";
                  s.recompute = Recompute::full;
              }));
}

TEST(Options, MustFitEachOther) {
    const auto of = [](auto change) {
        TrainOptions options;
        options.model = gpt_preset("nano");
        options.batch.sequence = 64;
        change(options);
        const Dataset data = Dataset::from_tokens("", 200, std::vector<Token>(100), {});
        return complaint([&] { validate(options, 1, data); });
    };
    EXPECT_EQ(of([](auto&) {}), "");
    expect_in("longer than the context", of([](auto& o) { o.batch.sequence = 65; }));
    expect_in("the data has a vocabulary of 200", of([](auto& o) { o.model.vocabulary = 100; }));
    expect_in("--steps 0", of([](auto& o) { o.steps = 0; }));
    expect_in("--bucket-size 3", of([](auto& o) { o.communication.bucket_bytes = 3; }));
    expect_in("--beta1 1", of([](auto& o) { o.optimizer.beta1 = 1.0; }));
    expect_in("do not fit the data", of([](auto& o) {
                  o.model.context = 100;
                  o.batch.sequence = 100;
              }));
    expect_in("unknown all_reduce", of([](auto& o) { o.communication.all_reduce = "x"; }));
    expect_in("at most 16384 contributions", of([](auto& o) { o.batch.global_batch = 20000; }));
    expect_in("rate", of([](auto& o) { o.optimizer.learning_rate = -1.0; }));
    expect_in("--clip -1", of([](auto& o) { o.optimizer.clip = -1.0; }));
    expect_in("unknown optimizer 'adam'", complaint([] { parse_optimizer("adam"); }));
}

}  // namespace
}  // namespace shardstone::validation
