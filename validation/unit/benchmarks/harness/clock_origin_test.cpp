// SPDX-License-Identifier: BSD-3-Clause
// One moment on the clocks of machines that are played: known offsets, and readings that are late.
#include "benchmarks/harness/clock_origin.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "validation/unit/mpi_test_main.hpp"

namespace shardstone::validation {
namespace {

constexpr double unknown = -1.0;

/// How far the clock of a machine is ahead of the one that all of these ranks really have.
double ahead_s(int machine) {
    return 1000.0 * (machine + 1) + 0.25 * machine;
}

/// A machine's clock; of its readings the third to sixth, fewer than half of nine, are 100 s late,
/// as where a rank was long without a core.
struct PlayedClock {
    int machine = 0;
    bool stumbles = false;
    int readings = 0;

    double operator()() {
        ++readings;
        const bool late = stumbles && readings >= 3 && readings <= 6;
        return now_s() + ahead_s(machine) + (late ? 100.0 : 0.0);
    }
};

/// Origins of all ranks, when the ranks of a machine know a kernel by its number, or none of them
/// does; those of `stumbling` ranks have such readings.
std::vector<double> origins(int machine, bool known, bool stumbling = false) {
    const double mine = benchmarks::clock_origin(world(), known ? machine : unknown,
                                                 PlayedClock{machine, stumbling});
    return world().all_gather(std::vector{mine});
}

/// Barriers are left within less than this, even where ranks wait for a core.
constexpr double most_apart_s = 5.0;

/// That origins are one moment on the clocks of all ranks' machines, of which each has one.
void expect_one_moment(const std::vector<double>& origins, const std::vector<int>& machines) {
    for (std::size_t rank = 0; rank < origins.size(); ++rank) {
        const double moment_s = origins[rank] - ahead_s(machines[rank]);
        EXPECT_NEAR(moment_s, origins[0] - ahead_s(machines[0]), most_apart_s) << "rank " << rank;
        for (std::size_t other = 0; other < rank; ++other) {
            if (machines[other] != machines[rank]) continue;
            EXPECT_EQ(origins[rank], origins[other]) << "ranks " << other << " and " << rank;
        }
    }
}

std::vector<int> machines_by(const std::function<int(int)>& machine_of) {
    std::vector<int> machines;
    for (int rank = 0; rank < world().size(); ++rank) machines.push_back(machine_of(rank));
    return machines;
}

// All on one, in blocks of two, in turns on three, the last one alone, each alone.
TEST(ClockOrigin, IsOneMomentOnTheClocksOfAllMachines) {
    const int last = world().size() - 1;
    const std::vector<std::function<int(int)>> placements{
        [](int) { return 4; }, [](int rank) { return rank / 2; }, [](int rank) { return rank % 3; },
        [&](int rank) { return rank == last ? 1 : 0; }, [](int rank) { return rank; }};
    for (const auto& machine_of : placements) {
        const auto machines = machines_by(machine_of);
        expect_one_moment(origins(machine_of(world().rank()), true), machines);
    }
}

// Fewer than half of the readings are late on ranks that speak for their machine: the median is
// not.
TEST(ClockOrigin, IsNotMovedByAFewLateReadings) {
    const auto machine_of = [](int rank) { return rank % 3; };
    for (const bool root_stumbles : {false, true}) {
        const bool stumbles = (world().rank() == 0) == root_stumbles;
        expect_one_moment(origins(machine_of(world().rank()), true, stumbles),
                          machines_by(machine_of));
    }
}

// Nothing says that two of them are the same, not even that both are not known.
TEST(ClockOrigin, OfUnknownKernelsIsEachRanksOwn) {
    expect_one_moment(origins(world().rank(), false), machines_by([](int rank) { return rank; }));
}

// And it is now: on rank 0's clock between the call and the return.
TEST(ClockOrigin, IsDuringTheCall) {
    const double before_s = now_s();
    const double origin_s = benchmarks::clock_origin(world());
    EXPECT_GE(origin_s, before_s);
    EXPECT_LE(origin_s, now_s());
    EXPECT_EQ(world().min(origin_s), world().max(origin_s)) << "all ranks are on this machine";
}

}  // namespace
}  // namespace shardstone::validation
