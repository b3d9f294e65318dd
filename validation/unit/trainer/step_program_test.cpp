// SPDX-License-Identifier: BSD-3-Clause
// The step programs are right for every plan in reach, and the checker sees what is wrong.
#include "reference/step/step_program.hpp"

#include <gtest/gtest.h>

#include <functional>

#include "kernels/base/error.hpp"
#include "reference/step/program_check.hpp"

namespace shardstone::validation {
namespace {

using namespace reference;
using Kind = Action::Kind;

constexpr std::int64_t parameters = 1000;

std::vector<StepProgram> programs_of(int ranks, const BatchShape& batch, bool overlap = true) {
    std::vector<StepProgram> programs;
    for (int rank = 0; rank < ranks; ++rank) {
        programs.push_back(
            step_program({ranks}, batch, {cut_buckets(parameters, 1200), overlap}, rank));
    }
    return programs;
}

TEST(StepProgram, IsProvedForEveryPlanTo64Ranks) {
    for (int ranks = 1; ranks <= 64; ++ranks) {
        for (const std::int64_t micro_batch : {1, 3}) {
            for (const bool overlap : {true, false}) {
                const BatchShape batch{ranks * 6, micro_batch, 16};
                EXPECT_NO_THROW(
                    check_step_programs(programs_of(ranks, batch, overlap), batch, parameters));
            }
        }
    }
}

TEST(Buckets, CutTheBufferInOrder) {
    const auto buckets = cut_buckets(1000, 1200);
    ASSERT_EQ(buckets.size(), 4U);
    EXPECT_EQ(buckets.back().first, 900);
    EXPECT_EQ(buckets.back().end(), 1000);
    EXPECT_EQ(default_bucket_bytes(1000), 256 << 10);
    EXPECT_EQ(default_bucket_bytes(124'000'000), 25 << 20);
}

TEST(StepProgram, OverlapsBucketsWithTheLastBackward) {
    const BatchShape batch{4, 1, 16};
    const auto first_bucket = [&](bool overlap) {
        const auto programs = programs_of(2, batch, overlap);
        for (const Action& action : programs.front().actions) {
            if (action.kind == Kind::reduce_bucket) return action.after.front();
        }
        return Action::After{};
    };
    EXPECT_EQ(first_bucket(true).gradients, 300);
    EXPECT_EQ(first_bucket(false).gradients, parameters);
    EXPECT_EQ(first_bucket(true).action, 4U);  // forward, backward, forward, loss, backward
}

struct Mutation {
    const char* name;
    std::function<void(StepProgram&)> plant;  ///< into the program of rank 1 of 2
    const char* complaint;
};

std::size_t position(const StepProgram& program, Kind kind, std::int64_t index) {
    for (std::size_t i = 0; i < program.actions.size(); ++i) {
        if (program.actions[i].kind == kind && program.actions[i].index == index) return i;
    }
    return program.actions.size();
}

Action& find(StepProgram& program, Kind kind, std::int64_t index) {
    return program.actions.at(position(program, kind, index));
}

const std::vector<Mutation> mutations{
    {"BucketNeverReduced", [](auto& p) { find(p, Kind::reduce_bucket, 2).index = 3; },
     "reduce of bucket 2 never happens"},
    {"BucketReducedTwice", [](auto& p) { p.actions.push_back(find(p, Kind::reduce_bucket, 1)); },
     "happens twice"},
    {"BucketBeforeItsGradients",
     [](auto& p) { find(p, Kind::reduce_bucket, 1).after.front().gradients = 599; },
     "bucket 1 is reduced before its last contribution"},
    {"BucketAfterTheFirstBackward",
     [](auto& p) { find(p, Kind::reduce_bucket, 0).after.front().action = 1; },
     "bucket 0 is reduced before its last contribution"},
    {"UpdateDoesNotWait", [](auto& p) { find(p, Kind::update, 0).after.pop_back(); },
     "the update does not wait for bucket 3"},
    {"WaitBeforeReduce", [](auto& p) { find(p, Kind::wait_bucket, 0).after.clear(); },
     "does not follow its reduce"},
    {"BackwardWithoutForward", [](auto& p) { find(p, Kind::backward, 1).after.clear(); },
     "backward 1 does not come after its forward"},
    {"ActivationsOverwritten", [](auto& p) { find(p, Kind::forward, 1).after.clear(); },
     "does not wait for the activations"},
    {"LossTooEarly", [](auto& p) { find(p, Kind::reduce_loss, 0).after.front().action = 0; },
     "the loss is reduced before its last contribution"},
    {"DependencyOnTheFuture",
     [](auto& p) {
         find(p, Kind::forward, 0).after = {{9, 0}};
     },
     "which is not before it"},
    {"Averaged", [](auto& p) { find(p, Kind::backward, 0).scale /= 2; }, "is not scaled by"},
    {"ForeignSequence", [](auto& p) { find(p, Kind::forward, 0).first_sample = 0; },
     "sequence 0 of the global batch is seen 2 times"},
    {"SequenceOutside", [](auto& p) { find(p, Kind::forward, 1).first_sample = 4; },
     "lies outside the global batch"},
    {"BucketsOverlap", [](auto& p) { --p.buckets[1].first; }, "leave a gap or overlap"},
    {"BucketMissing", [](auto& p) { p.buckets.pop_back(); }, "buckets hold 900 gradients of 1000"},
    {"OtherOrder",
     [](auto& p) {
         std::swap(find(p, Kind::reduce_bucket, 0), find(p, Kind::reduce_bucket, 1));
         // Keep the waits right, so that only the order between ranks is wrong.
         std::swap(find(p, Kind::wait_bucket, 0).after, find(p, Kind::wait_bucket, 1).after);
     },
     "reduces in another order than rank 0"},
};

class PlantedMutation : public testing::TestWithParam<Mutation> {};

TEST_P(PlantedMutation, IsNamed) {
    const BatchShape batch{4, 1, 16};
    auto programs = programs_of(2, batch);
    GetParam().plant(programs[1]);
    try {
        check_step_programs(programs, batch, parameters);
        FAIL() << "not seen";
    } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find(GetParam().complaint), std::string::npos)
            << error.what();
    }
}

INSTANTIATE_TEST_SUITE_P(Each, PlantedMutation, testing::ValuesIn(mutations),
                         [](const auto& each) { return std::string(each.param.name); });

}  // namespace
}  // namespace shardstone::validation
