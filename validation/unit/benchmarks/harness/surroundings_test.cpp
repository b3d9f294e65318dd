// SPDX-License-Identifier: BSD-3-Clause
// Other load, stolen time and waiting are told from our own work, on made-up nodes and clocks.
#include "benchmarks/harness/surroundings.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <tuple>

#include "benchmarks/harness/watch.hpp"

namespace shardstone::benchmarks {
namespace {

constexpr double not_told = Surroundings::not_told;

/// Two cores for 10 s, of which one rank used 8 s; 11 s idle, 0.2 s stolen: others had 0.8 s.
NodeReport quiet_node() {
    NodeReport node;
    node.kernel = 7.0;
    node.window_s = 10.0;
    node.cores = 2.0;
    node.idle_s = 11.0;
    node.stolen_s = 0.2;
    node.ranks = 1.0;
    node.cpu_s = 8.0;
    node.longest_waited_s = 0.1;
    node.switches = 3.0;
    node.clock_mhz = 2300.0;
    return node;
}

TEST(Surroundings, SharesAreOfTheCoresAndOwnWorkIsNoneOfThem) {
    const Surroundings seen = judge({quiet_node()});
    EXPECT_NEAR(seen.others_share, 0.8 / 20.0, 1e-12);
    EXPECT_NEAR(seen.stolen_share, 0.2 / 20.0, 1e-12);
    EXPECT_NEAR(seen.waiting_share, 0.1 / 10.0, 1e-12);
    EXPECT_EQ(seen.switches, 3.0);
    EXPECT_EQ(seen.clock_mhz, 2300.0);
    EXPECT_FALSE(seen.disturbed());
    EXPECT_EQ(disturbance_mark(seen), "");
}

TEST(Surroundings, EachOfTheThreeDisturbsByItself) {
    NodeReport others = quiet_node();
    others.idle_s = 10.7;  // 0.3 s more: 1.1 of 20
    EXPECT_TRUE(judge({others}).disturbed());
    EXPECT_EQ(judge({others}).words(), "others took 6 % of 2 cores");

    NodeReport stolen = quiet_node();
    stolen.stolen_s = 1.4;
    stolen.idle_s = 10.6;
    EXPECT_EQ(disturbance_mark(judge({stolen})), "! the hypervisor took 7 % of 2 cores");

    NodeReport waited = quiet_node();
    waited.longest_waited_s = 0.7;  // others had 0.8 s, so it may have been theirs
    EXPECT_EQ(judge({waited}).words(), "a rank waited 7 % of the time for a core");
    EXPECT_TRUE(judge({waited}).disturbed());
}

// The kernel counts a wait at its end, and so in part what came before the window of 10 s.
TEST(Surroundings, NoRankWaitsLongerThanTheWindow) {
    NodeReport waited = quiet_node();
    waited.cpu_s = 0.5;
    waited.idle_s = 0.5;  // others had 18.8 s
    waited.longest_waited_s = 12.8;
    EXPECT_EQ(judge({waited}).waiting_share, 1.0);
}

TEST(Surroundings, WhatWasNotCountedIsNotTold) {
    EXPECT_EQ(
        judge({quiet_node()}).all_words(),
        "others took 4 % of 2 cores, a rank waited 1 % of the time for a core, the hypervisor "
        "took 1 % of 2 cores");
    // Three ranks on two cores wait for one another.
    NodeReport shared = quiet_node();
    shared.ranks = 3.0;
    EXPECT_EQ(judge({shared}).all_words(),
              "others took 4 % of 2 cores, the hypervisor took 1 % of 2 cores");
    shared.cpu_s = not_told;
    EXPECT_EQ(judge({shared}).all_words(), "the hypervisor took 1 % of 2 cores");
}

TEST(Surroundings, WhatRanksTakeFromOneAnotherIsNoDisturbance) {
    NodeReport waited = quiet_node();
    waited.idle_s = 11.75;  // others had 0.05 s: the wait was for our own
    waited.longest_waited_s = 5.0;
    EXPECT_NEAR(judge({waited}).waiting_share, 0.05 / 10.0, 1e-12);
    EXPECT_FALSE(judge({waited}).disturbed());

    NodeReport crowded = quiet_node();
    crowded.ranks = 8.0;
    crowded.cpu_s = 19.0;
    crowded.idle_s = 0.0;
    crowded.longest_waited_s = 8.0;
    EXPECT_EQ(judge({crowded}).waiting_share, 0.0);
    EXPECT_FALSE(judge({crowded}).disturbed());
}

TEST(Surroundings, ContainersOfOneKernelAreOneNodeAndTheWorstNodeCounts) {
    NodeReport half = quiet_node();
    half.cpu_s = 4.0;  // alone it would take the other's ranks for strangers
    EXPECT_TRUE(judge({half}).disturbed());
    const Surroundings both = judge({half, half});
    EXPECT_NEAR(both.others_share, 0.8 / 20.0, 1e-12);
    EXPECT_EQ(both.switches, 6.0);

    NodeReport far = quiet_node();
    far.kernel = 8.0;
    far.cpu_s = 2.8;
    far.cores = 4.0;
    far.idle_s = 31.0;
    const Surroundings all = judge({quiet_node(), far});
    EXPECT_NEAR(all.others_share, 6.0 / 40.0, 1e-12);
    EXPECT_EQ(all.words(), "others took 15 % of 4 cores");
}

TEST(Surroundings, WhatIsNotToldIsNotQuiet) {
    const Surroundings blind = judge({NodeReport{}});
    EXPECT_FALSE(blind.known());
    EXPECT_FALSE(blind.disturbed());
    EXPECT_NE(disturbance_note({blind}, "figure").find("unknown"), std::string::npos);
    NodeReport no_schedstat = quiet_node();
    no_schedstat.longest_waited_s = not_told;
    EXPECT_TRUE(std::isnan(judge({no_schedstat}).waiting_share));
    EXPECT_TRUE(judge({no_schedstat}).known());
    EXPECT_FALSE(judge({no_schedstat}).disturbed());
}

TEST(Surroundings, TheNoteCountsAndSaysTheWorst) {
    Surroundings quiet, busy, busier;
    quiet.others_share = 0.01;
    busy.others_share = 0.2;
    busier.others_share = 0.31;
    busy.cores = busier.cores = 2;
    const std::string note = disturbance_note({quiet, busier, busy}, "point");
    EXPECT_NE(note.find("2 of 3 points (at worst others took 31 % of 2 cores)"), std::string::npos)
        << note;
    EXPECT_EQ(disturbance_note({quiet, quiet}, "point"), "");
    EXPECT_EQ(disturbance_note({}, "point"), "");
}

/// A machine of two cores with one process of ours, in a time of its own.
struct MadeUpMachine {
    double time_s = 100.0;
    double idle_s = 0.0, stolen_s = 0.0, cpu_s = 0.0, waited_s = 0.0;

    /// So long, our process on one core, others on so much of both.
    void pass(double duration_s, double others_share) {
        time_s += duration_s;
        cpu_s += duration_s;
        idle_s += duration_s * (1.0 - 2.0 * others_share);
    }
};

class MadeUpReader : public MachineReader {
  public:
    explicit MadeUpReader(std::shared_ptr<MadeUpMachine> machine) : machine_(std::move(machine)) {}

    double time_s() const override { return machine_->time_s; }
    void nap(double duration_s) const override {
        machine_->time_s += duration_s;
        machine_->idle_s += 2.0 * duration_s;
    }
    std::vector<int> cores_of(std::span<const pid_t>) const override { return {0, 1}; }
    std::optional<CoreTimes> core_times(std::span<const int> cores) const override {
        return CoreTimes{static_cast<int>(cores.size()), machine_->idle_s, machine_->stolen_s};
    }
    ProcessTimes process_times(pid_t) const override {
        return {machine_->cpu_s, machine_->waited_s, 0.0};
    }
    double clock_mhz(std::span<const int>) const override { return 2300.0; }

  private:
    std::shared_ptr<MadeUpMachine> machine_;
};

struct MadeUpWatch {
    std::shared_ptr<MadeUpMachine> machine = std::make_shared<MadeUpMachine>();
    Watch watch{std::make_unique<MadeUpReader>(machine)};
};

TEST(Watch, SeesWhatHappenedBetweenBeginAndEnd) {
    MadeUpWatch made;
    made.machine->pass(3.0, 0.4);  // before it began
    made.watch.begin();
    made.machine->pass(2.0, 0.03);
    const Surroundings seen = made.watch.end();
    EXPECT_NEAR(seen.begin_s, 3.0, 1e-12);
    EXPECT_NEAR(seen.window_s, 2.0, 1e-12);
    EXPECT_NEAR(seen.others_share, 0.03, 1e-9);
    EXPECT_EQ(made.watch.log().size(), 1U);
}

TEST(Watch, JudgesAShortMeasurementByAWindowThatIsLongEnough) {
    MadeUpWatch made;
    for (int point = 0; point < 8; ++point) {
        made.watch.begin();
        made.machine->pass(0.125, 0.2);
        const Surroundings seen = made.watch.end();
        EXPECT_GE(seen.window_s, least_window_s - 1e-9) << point;
        EXPECT_LT(seen.window_s, 2.0 * least_window_s) << point;
        // The first has nothing before it: the rest of its window is waited for.
        if (point == 0) {
            EXPECT_NEAR(seen.others_share, 0.2 * 0.125 / 0.5, 1e-9);
        }
        if (point == 7) {
            EXPECT_EQ(seen.window_s, least_window_s);
            EXPECT_NEAR(seen.others_share, 0.2, 1e-9);
        }
    }
}

TEST(Watch, RepeatsWhatWasDisturbedAndKeepsTheQuietest) {
    MadeUpWatch made;
    const std::vector<double> others{0.3, 0.02, 0.3};
    int tries = 0, kept = -1;
    const Watched watched = made.watch.until_quiet(
        [&] { made.machine->pass(0.2, others.at(static_cast<std::size_t>(tries++))); },
        [&] { kept = tries; });
    // The second try is not blamed for what the first met, though its window is filled up.
    EXPECT_EQ(watched.tries, 2);
    EXPECT_EQ(kept, 2);
    EXPECT_FALSE(watched.surroundings.disturbed());
    EXPECT_EQ(made.watch.log().size(), 2U);
}

TEST(Watch, GivesUpAfterSoManyTriesAndThenTakesEachOnceUntilItIsQuiet) {
    MadeUpWatch made;
    const auto measured_with = [&](std::vector<double> others) {
        std::size_t next = 0, kept = 0;
        const Watched watched = made.watch.until_quiet(
            [&] { made.machine->pass(1.0, others.at(next++)); }, [&] { kept = next; });
        return std::tuple(watched.tries, kept, watched.surroundings.disturbed());
    };
    EXPECT_EQ(measured_with({0.3, 0.2, 0.4}), std::tuple(3, std::size_t{2}, true));
    EXPECT_EQ(measured_with({0.3}), std::tuple(1, std::size_t{1}, true));
    EXPECT_EQ(measured_with({0.01}), std::tuple(1, std::size_t{1}, false));
    EXPECT_EQ(measured_with({0.3, 0.01}), std::tuple(2, std::size_t{2}, false));
}

TEST(Watch, TakesAStalledTryAgainOnce) {
    const auto measured_with = [](std::vector<bool> stalls) {
        MadeUpWatch made;
        std::size_t next = 0, kept = 0;
        const Watched watched = made.watch.until_quiet(
            [&] {
                made.machine->pass(1.0, 0.01);
                ++next;
            },
            [&] { kept = next; }, [&](const Surroundings&) { return stalls.at(next - 1); });
        EXPECT_EQ(made.watch.log().size(), next);
        return std::tuple(watched.tries, kept);
    };
    EXPECT_EQ(measured_with({false}), std::tuple(1, std::size_t{1}));
    EXPECT_EQ(measured_with({true, false}), std::tuple(2, std::size_t{2}));
    EXPECT_EQ(std::get<0>(measured_with({true, true})), 2);
}

TEST(Watch, LapsAreWindowsOfTheLog) {
    MadeUpWatch made;
    for (int step = 0; step < 16; ++step) {
        made.machine->pass(0.125, step < 8 ? 0.0 : 0.25);
        made.watch.lap();
    }
    const auto& log = made.watch.log();
    ASSERT_EQ(log.size(), 4U);
    EXPECT_NEAR(log[1].others_share, 0.0, 1e-9);
    EXPECT_NEAR(log[2].others_share, 0.25, 1e-9);
    EXPECT_NEAR(log[3].begin_s, 1.5, 1e-9);
}

}  // namespace
}  // namespace shardstone::benchmarks
