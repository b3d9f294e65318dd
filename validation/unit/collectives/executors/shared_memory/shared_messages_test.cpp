// SPDX-License-Identifier: BSD-3-Clause
// Schedules over shared memory give the bits and send the bytes that they do over MPI.
#include <gtest/gtest.h>

#include "collectives/executors/mpi/point_to_point.hpp"
#include "collectives/executors/shared_memory/shared_memory.hpp"
#include "collectives/operation/algorithm.hpp"
#include "collectives/schedule/compose.hpp"
#include "validation/unit/collectives/executors/shared_memory/random_vectors.hpp"

namespace shardstone::validation {
namespace {

using namespace shardstone::collectives;

const Operation& all_reduce() {
    return find_operation("all_reduce");
}

/// All algorithms with a schedule, as they are and cut into segments.
std::vector<RankProgram> programs() {
    std::vector<RankProgram> all;
    for (const auto& name : algorithms_for("all_reduce")) {
        const auto algorithm = find_algorithm("all_reduce", name);
        if (!algorithm.has_plain_messages()) continue;
        all.push_back(algorithm.program(world().topology(), world().rank()));
        all.push_back(segmented(all.back(), 3));
    }
    return all;
}

std::vector<std::int64_t> counts() {
    const std::int64_t size = world().size();
    // The last is several pieces of a mailbox per message for every algorithm: vectors that two
    // ranks exchange while they reduce into them must not stop each other.
    return {0, 1, size + 1, 16 * size + 1, 500001};
}

TEST(SharedMessages, SameBitsAndBytesAsOverMpi) {
    for (const RankProgram& program : programs()) {
        for (const std::int64_t count : counts()) {
            const CollectiveSpec spec{{count, ElementType::fp32, Reduction::sum}, 0, {}};
            const auto over_mpi = make_point_to_point(world(), program, all_reduce(), spec);
            const auto shared = make_shared_memory_messages(world(), program, all_reduce(), spec);
            auto want = random_vector<float>(world().rank(), count);
            over_mpi->run(want.data());
            for (int run = 1; run <= 2; ++run) {
                auto data = scaled_for(run, random_vector<float>(world().rank(), count));
                random_pause(run);
                shared->run(data.data());
                EXPECT_TRUE(same_bits(data.data(), scaled_for(run, want))) << count << " elements";
                EXPECT_EQ(shared->bytes_sent(), run * over_mpi->bytes_sent());
            }
        }
    }
}

TEST(SharedMessages, StressWithRandomDelaysAndTwoInFlight) {
    constexpr std::int64_t count = 3000;
    const CollectiveSpec spec{{count, ElementType::fp32, Reduction::sum}, 0, {}};
    const auto program = segmented(
        find_algorithm("all_reduce", "ring").program(world().topology(), world().rank()), 2);
    const auto first = make_shared_memory_messages(world(), program, all_reduce(), spec);
    const auto second = make_shared_memory_messages(world(), program, all_reduce(), spec);
    auto want = random_vector<float>(world().rank(), count);
    make_point_to_point(world(), program, all_reduce(), spec)->run(want.data());
    for (int run = 0; run < 100; ++run) {
        auto a = scaled_for(run, random_vector<float>(world().rank(), count));
        auto b = scaled_for(run + 1, random_vector<float>(world().rank(), count));
        random_pause(run);
        first->start(a.data());
        second->start(b.data());
        second->progress();
        first->wait();
        second->wait();
        ASSERT_TRUE(same_bits(a.data(), scaled_for(run, want))) << "run " << run;
        ASSERT_TRUE(same_bits(b.data(), scaled_for(run + 1, want))) << "run " << run;
    }
}

TEST(SharedMessages, OnlySchedulesCanBeNamed) {
    EXPECT_THROW(find_algorithm("all_reduce", "over_shared_memory:mpi"), Error);
    EXPECT_THROW(find_algorithm("all_reduce", "over_shared_memory:over_shared_memory:ring"), Error);
    EXPECT_TRUE(
        find_algorithm("all_reduce", "over_shared_memory:hierarchical:ring/ring").has_schedule());
}

}  // namespace
}  // namespace shardstone::validation
