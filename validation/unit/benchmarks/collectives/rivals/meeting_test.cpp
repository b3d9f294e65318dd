// SPDX-License-Identifier: BSD-3-Clause
// Processes that share a mapped file line up together and agree on maxima; round trips are timed.
#include "benchmarks/collectives/rivals/meeting.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "kernels/base/error.hpp"
#include "validation/unit/benchmarks/collectives/rivals/team_of_threads.hpp"

namespace shardstone::rivals {
namespace {

TEST(Meeting, NobodyLeavesBeforeAllHaveCome) {
    constexpr int size = 3;
    std::atomic<int> come{0};
    std::atomic<int> early{0};
    run_team(size, [&](const std::string& folder, Extent place) {
        Meeting meeting(folder + "/meeting", place, [] {});
        for (int round = 0; round < 50; ++round) {
            ++come;
            meeting.line_up();
            if (come < size * (round + 1)) ++early;
            meeting.line_up();
        }
    });
    EXPECT_EQ(come, size * 50);
    EXPECT_EQ(early, 0);
}

TEST(Meeting, MaximaAreEqualOnAll) {
    run_team(3, [](const std::string& folder, Extent place) {
        Meeting meeting(folder + "/meeting", place, [] {});
        for (int round = 0; round < 20; ++round) {
            const std::vector<double> mine{1.0 * place.rank, -1.0 * place.rank, 7.0 + round};
            const std::vector<double> expected{2.0, 0.0, 7.0 + round};
            EXPECT_EQ(meeting.maxima(mine), expected);
        }
    });
}

// Least of eight tries: even one that no other program came between is enough.
TEST(Meeting, ARoundTripTakesTimeWhereTwoProcessesHaveCoresOfTheirOwn) {
    for (const int size : {1, 2, 3}) {
        run_team(size, [&](const std::string& folder, Extent place) {
            Meeting meeting(folder + "/meeting", place, [] {});
            const bool own_core = size <= static_cast<int>(std::thread::hardware_concurrency());
            for (int repetition = 0; repetition < 3; ++repetition) {
                const double trip_s = meeting.round_trip_s();
                if (size >= 2 && own_core && place.rank == 0) {
                    EXPECT_GT(trip_s, 1e-9);
                    EXPECT_LT(trip_s, 1.0);
                } else {
                    EXPECT_EQ(trip_s, 0.0);
                }
            }
        });
    }
}

TEST(Meeting, RefusesWhatItCannotHold) {
    run_team(1, [](const std::string& folder, Extent place) {
        Meeting meeting(folder + "/meeting", place, [] {});
        const std::vector<double> many(benchmarks::most_values_compared + 1);
        EXPECT_THROW(meeting.maxima(many), Error);
        EXPECT_THROW(Meeting(folder + "/absent", place, [] {}), Error);
    });
}

}  // namespace
}  // namespace shardstone::rivals
