// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "kernels/base/error.hpp"
#include "reference/step/batch.hpp"
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

TEST(Plan, ReadsDataParallelism) {
    EXPECT_EQ(parse_plan("dp=4").data, 4);
    EXPECT_EQ(to_string(parse_plan("dp=12")), "dp=12");
}

TEST(Plan, SaysWhatItDoesNotUnderstand) {
    const auto of = [](const char* text) { return complaint([&] { parse_plan(text); }); };
    expect_in("'' is not AXIS=NUMBER", of(""));
    expect_in("'four' is not AXIS=NUMBER", of("four"));
    expect_in("'0' is not a positive number", of("dp=0"));
    expect_in("'2x' is not a positive number", of("dp=2x"));
    expect_in("'-2' is not a positive number", of("dp=-2"));
    expect_in("'99999999999' is not a positive number", of("dp=99999999999"));
    expect_in("axis 'dp' is given twice", of("dp=2,dp=2"));
    expect_in("axis 'tp' cannot be trained yet", of("dp=2,tp=2"));
    expect_in("axis 'zero' cannot be trained yet", of("zero=1"));
    expect_in("unknown axis 'cp'", of("cp=2"));
    expect_in("'' is not AXIS=NUMBER", of("dp=2,"));
}

TEST(Plan, MustNeedTheRanksOfTheJob) {
    EXPECT_EQ(complaint([] { require_fits({3}, 3); }), "");
    expect_in("plan dp=3 needs 3 ranks, but the job has 4",
              complaint([] { require_fits({3}, 4); }));
}

TEST(Batch, MustDivide) {
    EXPECT_EQ(complaint([] { require_divides({24, 2, 8}, {4}); }), "");
    expect_in("16 sequences does not divide over plan dp=3", complaint([] {
                  require_divides({16, 1, 8}, {3});
              }));
    expect_in("6 sequences per replica", complaint([] { require_divides({24, 4, 8}, {4}); }));
    expect_in("must all be positive", complaint([] { require_divides({24, 0, 8}, {4}); }));
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
