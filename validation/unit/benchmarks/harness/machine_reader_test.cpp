// SPDX-License-Identifier: BSD-3-Clause
// What the kernel tells of cores and processes, from files as its own.
#include "benchmarks/harness/machine_reader.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>

namespace shardstone::benchmarks {
namespace {

constexpr const char* made_up_stat =
    "cpu  600 20 40 1000 50 1 2 30 0 0\n"
    "cpu0 100 10 10 400 20 1 0 10 0 0\n"
    "cpu1 200 10 10 300 10 0 1 7 0 0\n"
    "cpu2 300 0 20 300 20 0 1 13 0 0\n"
    "intr 1 2 3\n";

TEST(CoreTimes, AreOfTheCoresAskedFor) {
    const double tick_s = 1.0 / static_cast<double>(sysconf(_SC_CLK_TCK));
    const std::vector<int> some{0, 2};
    const auto times = parse_core_times(made_up_stat, some);
    ASSERT_TRUE(times);
    EXPECT_EQ(times->cores, 2);
    EXPECT_NEAR(times->idle_s, 740 * tick_s, 1e-9);  // waiting for a disk is idle too
    EXPECT_NEAR(times->stolen_s, 23 * tick_s, 1e-9);
    EXPECT_FALSE(parse_core_times(made_up_stat, std::vector<int>{0, 5}));
    EXPECT_FALSE(
        parse_core_times("cpu  0 0 0 0 0 0 0 0\ncpu0 0 0 0 0 0 0 0 0\n", std::vector<int>{0}));
    EXPECT_FALSE(parse_core_times("", std::vector<int>{0}));
}

/// A folder that looks like /proc as far as we read it.
class MadeUpProc : public testing::Test {
  protected:
    MadeUpProc() : proc_(testing::TempDir() + "shardstone_proc_" + std::to_string(getpid())) {
        const auto process = proc_ / std::to_string(getpid());
        std::filesystem::create_directories(process);
        std::ofstream(proc_ / "stat") << made_up_stat;
        std::ofstream(proc_ / "cpuinfo") << "processor\t: 0\ncpu MHz\t\t: 1000.0\n\n"
                                            "processor\t: 1\ncpu MHz\t\t: 9000.0\n\n"
                                            "processor\t: 2\ncpu MHz\t\t: 3000.0\n";
        std::ofstream(process / "schedstat") << "5000000000 2500000000 12\n";
        std::ofstream(process / "status") << "Name:\tx\nvoluntary_ctxt_switches:\t900\n"
                                             "nonvoluntary_ctxt_switches:\t41\n";
    }
    ~MadeUpProc() override { std::filesystem::remove_all(proc_); }

    std::filesystem::path proc_;
};

TEST_F(MadeUpProc, IsReadWithItsUnits) {
    const MachineReader reader(proc_);
    const ProcessTimes times = reader.process_times(getpid());
    EXPECT_DOUBLE_EQ(times.waited_s, 2.5);
    EXPECT_EQ(times.switches, 41.0);
    EXPECT_GT(times.cpu_s, 0.0);
    EXPECT_DOUBLE_EQ(reader.clock_mhz(std::vector<int>{0, 2}), 2000.0);
    EXPECT_TRUE(reader.core_times(std::vector<int>{0, 1, 2}));
}

TEST_F(MadeUpProc, NoClockIsInfinite) {
    std::ofstream(proc_ / "cpuinfo") << "processor\t: 0\ncpu MHz\t\t: 1.7e308\n\n"
                                        "processor\t: 1\ncpu MHz\t\t: 1.7e308\n\n"
                                        "processor\t: 2\ncpu MHz\t\t: 3000.0\n";
    const MachineReader reader(proc_);
    EXPECT_TRUE(std::isnan(reader.clock_mhz(std::vector<int>{0, 1})));
    EXPECT_DOUBLE_EQ(reader.clock_mhz(std::vector<int>{0, 1, 2}), 3000.0);
}

TEST(MachineReader, WithoutProcSaysThatItKnowsNothing) {
    const MachineReader reader("/nowhere");
    EXPECT_TRUE(std::isnan(reader.process_times(getpid()).waited_s));
    EXPECT_TRUE(std::isnan(reader.process_times(getpid()).switches));
    EXPECT_TRUE(std::isnan(reader.clock_mhz(std::vector<int>{0})));
    EXPECT_FALSE(reader.core_times(std::vector<int>{0}));
}

}  // namespace
}  // namespace shardstone::benchmarks
