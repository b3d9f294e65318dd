// SPDX-License-Identifier: BSD-3-Clause
// Passes over pairs of ranks: who is tested when, what is timed, and ranks without a part in them.
#include "benchmarks/interconnect/link_pass.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <set>
#include <thread>
#include <tuple>

#include "collectives/cluster/long_waits.hpp"
#include "validation/unit/mpi_test_main.hpp"

namespace shardstone::validation {
namespace {

using benchmarks::LinkPasses;
using benchmarks::LinkRound;
using collectives::Communicator;

/// Rank 0 with every other, one after another; of the last one nothing if it is to rest.
std::vector<LinkRound> rounds_of_rank_0(int ranks) {
    std::vector<LinkRound> rounds;
    for (int other = 1; other < ranks; ++other) rounds.push_back({{0, other}});
    return rounds;
}

TEST(LinkPass, HasEveryPairDirectionAndSizeOnceAndNoStepTwice) {
    Communicator& comm = world();
    LinkPasses passes(comm, collectives::DataMemory::host, rounds_of_rank_0(comm.size()),
                      {8, 65536});
    std::set<std::tuple<int, int, int, std::int64_t, int>> seen;
    std::set<std::tuple<int, int, std::int64_t>> steps;
    for (int pass = 0; pass < 3; ++pass) {
        const auto found = passes.run();
        EXPECT_TRUE(found.wrong.empty());
        if (!comm.is_root()) {
            EXPECT_TRUE(found.samples.empty());
            continue;
        }
        EXPECT_EQ(found.samples.size(), 4 * passes.rounds());
        for (const auto& sample : found.samples) {
            EXPECT_GT(sample.time_s, 0.0);
            EXPECT_LT(sample.time_s, 10.0);
            EXPECT_EQ(sample.round, std::max(sample.sender, sample.receiver) - 1);
            seen.insert({pass, sample.sender, sample.receiver, sample.size_bytes, sample.round});
            steps.insert({sample.sender, sample.receiver, sample.step});
        }
    }
    if (comm.is_root()) {
        EXPECT_EQ(seen.size(), 12 * passes.rounds());
        EXPECT_EQ(steps.size(), 12 * passes.rounds());
    }
}

TEST(LinkPass, RanksInNoPairWaitForTheOthers) {
    Communicator& comm = world();
    if (comm.size() < 3) GTEST_SKIP() << "needs a rank that rests";
    LinkPasses passes(comm, collectives::DataMemory::host, {{{0, 1}}}, {8});
    const auto found = passes.run();
    EXPECT_EQ(found.samples.size(), comm.is_root() ? 2u : 0u);
}

TEST(LinkPass, StagesTellTheRoundAndSizeOfBothKindsOfPasses) {
    Communicator& comm = world();
    const LinkPasses passes(comm, collectives::DataMemory::host, rounds_of_rank_0(comm.size()),
                            {8, 65536});
    const auto last_round = static_cast<int>(passes.rounds()) - 1;
    const auto of_pass = static_cast<std::int64_t>(5 * passes.rounds()) + 1;
    using Stage = std::pair<int, std::int64_t>;
    const auto stage = [&](std::int64_t number) {
        const auto found = passes.stage(number);
        return Stage{found.round, found.size_bytes};
    };
    EXPECT_EQ(stage(0), (Stage{0, 0}));
    EXPECT_EQ(stage(2), (Stage{0, 8}));
    EXPECT_EQ(stage(3), (Stage{0, 65536}));
    EXPECT_EQ(stage(of_pass - 1), (Stage{-1, 0}));
    EXPECT_EQ(stage(of_pass), (Stage{last_round, 0})) << "backwards";
    EXPECT_EQ(stage(of_pass + 1), (Stage{last_round, 65536}));
    EXPECT_EQ(stage(of_pass + 4), (Stage{last_round, 8}));
    EXPECT_EQ(stage(2 * of_pass + 4), (Stage{0, 65536}));
}

/// Rank 1 comes late to its second pass: rank 0 waits for it where ranks meet for the first round.
TEST(LinkPass, LongWaitsTellTheStageOfTheRank) {
    Communicator& comm = world();
    LinkPasses passes(comm, collectives::DataMemory::host, {{{0, 1}}}, {8});
    passes.run();
    collectives::LongWaits waits(0.5);
    if (comm.rank() == 1) std::this_thread::sleep_for(std::chrono::milliseconds(1500));
    passes.run();
    const auto seen = waits.take();
    if (!comm.is_root()) return;
    ASSERT_EQ(seen.size(), 1u);
    EXPECT_EQ(seen[0].awaited, 1);
    EXPECT_EQ(seen[0].stage, 4) << "a pass has four";
    EXPECT_EQ(passes.stage(seen[0].stage).size_bytes, 0);
}

TEST(LinkPass, PairsOfARoundAreTestedByTheirOwnRanks) {
    Communicator& comm = world();
    LinkRound round;
    for (int rank = 0; rank + 1 < comm.size(); rank += 2) round.push_back({rank, rank + 1});
    LinkPasses passes(comm, collectives::DataMemory::host, {round}, {4096});
    const auto found = passes.run();
    if (!comm.is_root()) return;
    std::set<std::pair<int, int>> directions;
    for (const auto& sample : found.samples) directions.insert({sample.sender, sample.receiver});
    EXPECT_EQ(directions.size(), 2 * round.size());
    EXPECT_EQ(found.samples.size(), directions.size());
}

}  // namespace
}  // namespace shardstone::validation
