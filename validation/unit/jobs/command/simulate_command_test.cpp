// SPDX-License-Identifier: BSD-3-Clause
// `shardstone simulate` as a user starts it: times and bytes that follow by hand from the cluster.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <regex>

#include "validation/unit/jobs/command/recorded_run.hpp"

namespace shardstone::validation {
namespace {

/// Two nodes of four ranks. A block of 256 KiB takes 1 + 2.62144 us inside a node, 0.262144 us to
/// reduce; a vector of 1 MiB 1 + 10.48576 us inside, 5 + 104.8576 us between, 1.048576 us to
/// reduce.
constexpr const char* cluster = R"(name = "by hand"
source = "made up"
nodes = 2
ranks_per_node = 4
[links.intra_node]
alpha_s = 1e-6
bandwidth_gb_s = 100
source = "made up"
[links.inter_node]
alpha_s = 5e-6
bandwidth_gb_s = 10
source = "made up"
[reduction]
rate_gb_s = 1000
source = "made up"
)";

RecordedRun simulate(const std::string& arguments) {
    return {0, "simulate --cluster c.toml " + arguments, {{"c.toml", cluster}}};
}

constexpr double us = 1e-6;
constexpr double ring_of_4_s = (6 * 3.62144 + 3 * 0.262144) * us;
constexpr double doubling_of_8_s = (2 * (11.48576 + 1.048576) + 109.8576 + 1.048576) * us;

void expect_near(double got, double want, const char* what) {
    EXPECT_NEAR(got, want, 1e-9 * want) << what;
}

TEST(SimulateCommand, TheRecordHoldsTheTimesOfTheClosedForms) {
    const auto run = simulate("--ranks 4,8 --algorithm ring,recursive_doubling -b 1M -e 1M");
    ASSERT_EQ(run.code(), 0) << run.errors();
    const Rows rows(run.record(), "simulated");
    ASSERT_EQ(rows.count(), 4U);
    EXPECT_EQ(rows.text(0, "algorithm"), "ring");
    EXPECT_EQ(rows.number(0, "ranks"), 4.0);
    EXPECT_EQ(rows.number(0, "size_bytes"), 1048576.0);
    expect_near(rows.number(0, "predicted_s"), ring_of_4_s, "ring");
    expect_near(rows.number(0, "predicted_algbw_gb_s"), 1048576e-9 / ring_of_4_s, "algbw");
    expect_near(rows.number(0, "predicted_busbw_gb_s"), 1.5 * 1048576e-9 / ring_of_4_s, "busbw");
    EXPECT_EQ(rows.number(0, "messages"), 24.0);  // of 4 ranks in 6 steps
    EXPECT_EQ(rows.text(3, "algorithm"), "recursive_doubling");
    EXPECT_EQ(rows.number(3, "ranks"), 8.0);
    expect_near(rows.number(3, "predicted_s"), doubling_of_8_s, "recursive doubling");
    expect_near(rows.number(3, "predicted_busbw_gb_s"), 1.75 * 1048576e-9 / doubling_of_8_s,
                "busbw");
    EXPECT_EQ(rows.number(3, "messages"), 24.0);  // of 8 ranks in 3 steps
}

/// The cells of the printed row of that algorithm on so many ranks, from its time on.
std::smatch row(const std::string& output, int ranks, const std::string& algorithm) {
    const std::string link = R"( \| +(\S+) +(\S+) +(\S+?)%?)";
    const std::regex pattern(
        fmt::format(R"((?:^|\n) +{} +1 MiB {}( \*)? +([0-9.]+ us) +(\S+) +(\S+))", ranks,
                    algorithm) +
        link + link + link + "\n");
    std::smatch cells;
    EXPECT_TRUE(std::regex_search(output, cells, pattern)) << output;
    return cells;
}

TEST(SimulateCommand, TheTableShowsThemWithTheBytesAndTheBusiestLinks) {
    const auto run = simulate("--ranks 4,8 --algorithm ring,recursive_doubling -b 1M -e 1M");
    const std::string output = run.output();
    EXPECT_NE(output.find("PREDICTED, not measured"), std::string::npos);
    auto cells = row(output, 4, "ring");
    EXPECT_EQ(cells[1], " *");
    EXPECT_EQ(cells[2], "22.5 us");
    EXPECT_EQ(cells[3], "46.6");
    EXPECT_EQ(cells[4], "69.9");
    EXPECT_EQ(cells[5], "6.29e+06") << "24 messages of 256 KiB";
    EXPECT_EQ(cells[6], "69.9") << "6 of them from one port, in GB/s";
    EXPECT_EQ(cells[7], "70") << "6 x 2.62144 us of 22.5 us";
    EXPECT_EQ(cells[8], "-") << "one node";
    cells = row(output, 8, "recursive_doubling");
    EXPECT_EQ(cells[2], "136 us");
    EXPECT_EQ(cells[5], "1.68e+07") << "16 messages of 1 MiB inside nodes";
    EXPECT_EQ(cells[8], "8.39e+06") << "8 between them";
    EXPECT_EQ(cells[9], "7.71") << "1 MiB in 136 us";
    EXPECT_EQ(cells[10], "77") << "104.8576 us of 136 us";
}

TEST(SimulateCommand, EveryOptionActs) {
    const auto run = simulate("--op all_gather --algorithm ring --ranks 4 -b 64K -e 1M -f 4");
    ASSERT_EQ(run.code(), 0) << run.errors();
    const Rows rows(run.record(), "simulated");
    ASSERT_EQ(rows.count(), 3U);
    EXPECT_EQ(rows.number(0, "size_bytes"), 65536.0);
    EXPECT_EQ(rows.number(1, "size_bytes"), 262144.0);
    expect_near(rows.number(2, "predicted_s"), 3 * 3.62144 * us, "three steps of an all-gather");
    expect_near(rows.number(2, "predicted_busbw_gb_s"), 0.75 * 1048576e-9 / (3 * 3.62144 * us),
                "its bus bandwidth");
    EXPECT_EQ(simulate("--algorithm ring -b 1M -e 1M")
                  .record()
                  .table("simulated")
                  .column("ranks")
                  .numbers,
              std::vector{8.0});
    EXPECT_EQ(simulate("--algorithm ring -b 6 -e 6 -d bf16").code(), 0);
    EXPECT_EQ(simulate("--algorithm ring -b 6 -e 6 -d fp32").code(), 2);
}

TEST(SimulateCommand, TheRecordHoldsTheBytesOfAllLinksAndOfTheBusiest) {
    const auto run = simulate("--ranks 4 --algorithm ring -b 1M -e 1M");
    ASSERT_EQ(run.code(), 0) << run.errors();
    const Rows rows(run.record(), "simulated_traffic");
    ASSERT_EQ(rows.text(0, "link_class"), "intra_node");
    EXPECT_EQ(rows.number(0, "bytes"), 24 * 262144.0) << "of 4 ranks in 6 steps";
    EXPECT_EQ(rows.number(0, "busiest_link_bytes"), 6 * 262144.0) << "of one of them";
    expect_near(rows.number(0, "busiest_link_gb_s"), 6 * 262144e-9 / ring_of_4_s, "rate");
    EXPECT_EQ(rows.number(0, "capacity_gb_s"), 100.0);
    expect_near(rows.number(0, "busy_s"), 6 * 2.62144 * us, "busy");
}

}  // namespace
}  // namespace shardstone::validation
