// SPDX-License-Identifier: BSD-3-Clause
// Congestion, clocks and traffic of `shardstone validate interconnect`, as a user starts it.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>

#include "results/recompute/recompute.hpp"
#include "results/schema/congestion.hpp"
#include "results/schema/interconnect.hpp"
#include "results/schema/node_clocks.hpp"
#include "results/schema/soak.hpp"
#include "results/schema/traffic.hpp"
#include "validation/unit/jobs/command/disturbed_record.hpp"
#include "validation/unit/jobs/command/recorded_run.hpp"

namespace shardstone::validation {
namespace {

using results::rows_of;

const std::string quick = "validate interconnect --budget 3 --sizes 8,64K ";

TEST(InterconnectLoads, LoadsAndClocksAreInTheRecordAndOnTheScreen) {
    const RecordedRun run(4, quick + "--ranks-per-node 1 --part congestion,clocks");
    EXPECT_EQ(run.code(), 7) << run.output() << run.errors();
    EXPECT_TRUE(run.output().starts_with("INCONCLUSIVE\n"));
    EXPECT_NE(run.output().find("\n  - nothing that was measured is judged"), std::string::npos);
    const auto& record = run.record();
    EXPECT_TRUE(record.verified());
    // In each pass two pairs in two directions, alone and at once, and a victim's eight messages of
    // 8 B and one of 64 KiB, alone and beside the two others.
    const auto samples = rows_of<results::CongestionSampleRow>(record);
    EXPECT_EQ(samples.size() % 44, 0u);
    EXPECT_GE(samples.size(), 7u * 44u);
    const auto rows = rows_of<results::CongestionRow>(record);
    ASSERT_EQ(rows.size(), 8u);
    for (const auto& row : rows) {
        EXPECT_LE(row.slowdown_low, row.slowdown);
        EXPECT_GE(row.slowdown_high, row.slowdown);
    }
    const auto halves = rows_of<results::BisectionRow>(record);
    ASSERT_EQ(halves.size(), 2u);
    EXPECT_EQ(halves[0].pairs, 2.0);
    EXPECT_EQ(halves[0].size_bytes, 65536.0);
    const auto clocks = rows_of<results::ClockRow>(record);
    ASSERT_EQ(clocks.size(), 3u);
    for (const auto& row : clocks) {
        EXPECT_EQ(row.readings, 16.0);
        EXPECT_LE(std::abs(row.ahead_s), row.error_s) << "one machine has one clock";
        EXPECT_GE(row.offset_s, std::abs(row.ahead_s) + row.error_s) << "it is a bound";
        EXPECT_LE(std::abs(row.drift), row.drift_error);
    }
    for (const std::string words :
         {"first to second half: ", "pairs at once, 64 KiB: ", "victim beside an all-to-all, 8 B: ",
          "none is seen to be off: at most "}) {
        EXPECT_NE(run.output().find(words), std::string::npos) << words << run.output();
    }
    for (const auto& wrong : results::recompute(record).wrong) ADD_FAILURE() << in_words(wrong);
}

/// What the screen calls the worst pair of a load is the worst of the record.
TEST(InterconnectLoads, TheWorstOfEachLoadIsNamed) {
    const RecordedRun run(4, quick + "--ranks-per-node 1 --part congestion");
    std::map<std::pair<std::string, double>, std::vector<results::CongestionRow>> loads;
    for (const auto& row : rows_of<results::CongestionRow>(run.record())) {
        loads[{row.load, row.size_bytes}].push_back(row);
    }
    std::size_t told_apart = 0;
    for (const auto& [load, rows] : loads) {
        const auto [least, worst] =
            std::ranges::minmax(rows, {}, &results::CongestionRow::slowdown);
        told_apart += least.slowdown < worst.slowdown ? 1 : 0;
        const std::string words = fmt::format("  {}, {}: slowdown over alone ", load.first,
                                              load.second == 8.0 ? "8 B" : "64 KiB");
        const std::string pair =
            fmt::format("; worst: rank {:.0f} to rank {:.0f}\n", worst.sender, worst.receiver);
        const auto line = run.output().find(words);
        ASSERT_NE(line, std::string::npos) << words << run.output();
        EXPECT_EQ(run.output().find(pair, line), run.output().find(';', line))
            << pair << run.output();
    }
    EXPECT_GE(told_apart, 2U) << "no two pairs of a load differ";
}

/// What two pairs of nodes send is no cut of a network.
TEST(InterconnectLoads, ThreeNodesHaveNoBisection) {
    const RecordedRun run(3, quick + "--ranks-per-node 1 --part congestion");
    EXPECT_FALSE(run.record().has_table("bisection"));
    EXPECT_TRUE(run.record().has_table("congestion"));
    EXPECT_EQ(run.output().find("half"), std::string::npos) << run.output();
    EXPECT_EQ(run.output().find("pairs at once"), std::string::npos) << run.output();
    const auto rows = rows_of<results::CongestionRow>(run.record());
    const bool has_victim = std::ranges::any_of(
        rows, [](const auto& row) { return row.load == "victim beside an all-to-all"; });
    EXPECT_EQ(run.output().find("\nCongestion (") != std::string::npos, has_victim);
    for (const auto& wrong : results::recompute(run.record()).wrong)
        ADD_FAILURE() << in_words(wrong);
}

/// Links that no machine has are described as measured, by ranks as those of this test.
std::string described(const char* shared_cores, const char* bandwidth_gb_s,
                      const char* interval = "") {
    return fmt::format(
        "name = 'a'\nsource = 'a test'\nmeasured = true\nshared_cores = {0}\nnodes = 2\n"
        "ranks_per_node = 2\n[links.intra_node]\nalpha_s = 1e-9\nbandwidth_gb_s = {1}\n"
        "source = 'a test'\n[links.inter_node]\nalpha_s = 1e-9\nbandwidth_gb_s = {1}\n{2}"
        "source = 'a test'\n[reduction]\nrate_gb_s = 1000\nsource = 'a test'\n",
        shared_cores, bandwidth_gb_s, interval);
}

/// Next to other tests it may have been.
bool was_disturbed(const results::Record& record) {
    const auto rows = rows_of<results::ConditionsRow>(record);
    return std::ranges::any_of(rows, [](const auto& row) { return row.disturbed > 0.0; });
}

TEST(InterconnectLoads, TrafficIsHeldAgainstTheGivenDescription) {
    const std::string options = quick + "--ranks-per-node 2 --part traffic --cluster a.toml";
    const RecordedRun fast(4, options, {{"a.toml", described("true", "1e6")}});
    const bool is_undecided = explains_every_slowness(fast.record());
    EXPECT_EQ(fast.code(), is_undecided ? 7 : 1) << fast.output() << fast.errors();
    EXPECT_TRUE(fast.output().starts_with(
        is_undecided ? "INCONCLUSIVE: 0 of 9 kinds of traffic surely slow\n"
                     : "FAIL: 9 of 9 kinds of traffic surely slow\n"))
        << fast.output();
    EXPECT_NE(fast.output().find(is_undecided ? "\n  - undecided: slow traffic: "
                                              : "\n  - slow traffic: all_reduce ring"),
              std::string::npos)
        << fast.output();
    const auto rows = rows_of<results::TrafficRow>(fast.record());
    ASSERT_EQ(rows.size(), 9u) << "five collectives and four plans";
    EXPECT_EQ(rows[0].traffic, "all_reduce ring");
    EXPECT_EQ(rows[0].size_bytes, 65536.0);
    EXPECT_EQ(rows[8].traffic, "step pp=2,dp=2");
    for (const auto& row : rows) {
        EXPECT_GE(row.samples, 7.0);
        EXPECT_NEAR(row.over_prediction, row.time_s / row.predicted_s, 1e-9 * row.over_prediction);
    }
    for (const auto& wrong : results::recompute(fast.record()).wrong) {
        ADD_FAILURE() << in_words(wrong);
    }
    const RecordedRun slow(4, options, {{"a.toml", described("true", "1e-4")}});
    const bool is_busy = was_disturbed(slow.record());
    EXPECT_EQ(slow.code(), is_busy ? 7 : 0) << slow.output() << slow.errors();
    const char* const words =
        is_busy ? "  - the machine was busy: " : "PASS: 0 of 9 kinds of traffic surely slow\n";
    EXPECT_NE(slow.output().find(words), std::string::npos) << slow.output();
    const RecordedRun others(4, options, {{"a.toml", described("false", "1e6")}});
    EXPECT_EQ(others.code(), 7) << others.output() << others.errors();
    EXPECT_EQ(others.output().find("surely slow"), std::string::npos) << others.output();
    EXPECT_NE(others.output().find("Not judged: "), std::string::npos) << others.output();
    EXPECT_NE(others.errors().find("traffic is timed, and not judged: calibrate"),
              std::string::npos)
        << others.errors();
}

TEST(InterconnectLoads, TrafficIsUndecidedByADescriptionThatMayErrAsMuch) {
    const RecordedRun run(
        4, quick + "--ranks-per-node 2 --part traffic --cluster a.toml",
        {{"a.toml", described("true", "1e6", "bandwidth_interval_gb_s = [1e-6, 1e6]\n")}});
    EXPECT_EQ(run.code(), 7) << run.output() << run.errors();
    EXPECT_NE(run.output().find("undecided: slow traffic: all_reduce ring"), std::string::npos)
        << run.output();
    EXPECT_NE(run.output().find("calibrate for longer (--seconds)"), std::string::npos);
    for (const auto& row : rows_of<results::TrafficRow>(run.record())) {
        EXPECT_EQ(row.slow, 0.0);
        EXPECT_NEAR(row.prediction_error, 1e12, 1.0);
    }
    for (const auto& wrong : results::recompute(run.record()).wrong)
        ADD_FAILURE() << in_words(wrong);
}

TEST(InterconnectLoads, TrafficNeedsADescriptionOfAsManyRanks) {
    const RecordedRun none(2, quick + "--part traffic");
    EXPECT_EQ(none.code(), 2);
    EXPECT_NE(none.errors().find("add --cluster FILE"), std::string::npos) << none.errors();
    const RecordedRun few(5, quick + "--cluster a.toml", {{"a.toml", described("true", "1")}});
    EXPECT_EQ(few.code(), 2);
    EXPECT_NE(few.errors().find("it has 4 ranks, and here are 5"), std::string::npos)
        << few.errors();
}

/// Leaves by node in places, and the path of messages between them.
std::pair<std::vector<double>, std::string> leaves_and_path() {
    const RecordedRun run(2, quick + "--ranks-per-node 1 --part pairs");
    std::vector<double> leaves;
    for (const auto& place : rows_of<results::RankPlaceRow>(run.record())) {
        leaves.push_back(place.leaf);
    }
    return {leaves, rows_of<results::PathRow>(run.record()).at(0).path};
}

TEST(InterconnectLoads, LeavesAreThoseThatSlurmNames) {
    EXPECT_EQ(leaves_and_path(), std::pair(std::vector{-1.0, -1.0}, std::string("between nodes")));
    setenv("SLURM_TOPOLOGY_ADDR", "spine0.leaf3.cn042", 1);
    setenv("SLURM_TOPOLOGY_ADDR_PATTERN", "switch.switch.node", 1);
    EXPECT_EQ(leaves_and_path(), std::pair(std::vector{0.0, 0.0}, std::string("same leaf")));
    setenv("SLURM_TOPOLOGY_ADDR", "cn042", 1);
    setenv("SLURM_TOPOLOGY_ADDR_PATTERN", "node", 1);
    EXPECT_EQ(leaves_and_path().first, (std::vector{-1.0, -1.0}));
    unsetenv("SLURM_TOPOLOGY_ADDR");
    unsetenv("SLURM_TOPOLOGY_ADDR_PATTERN");
}

// `env` gives each rank its own: nodes of an even rank are on one leaf, the others on another.
TEST(InterconnectLoads, LeavesAreNumberedInTheOrderOfRanks) {
    TemporaryFolder folder;
    const std::string shell = fmt::format(
        "cd {} && mpiexec -n 4 bash -c 'SHARDSTONE_LEAF=$((7 - PMI_RANK % 2)) exec {} {} "
        "--ranks-per-node 1 --part pairs --json i.json'",
        folder.path().string(), shardstone_binary(), quick);
    EXPECT_NE(run_shell(shell, folder).code, 2);
    const auto record = results::read_record(folder / "i.json");
    std::vector<double> leaves;
    for (const auto& place : rows_of<results::RankPlaceRow>(record)) leaves.push_back(place.leaf);
    EXPECT_EQ(leaves, (std::vector{0.0, 1.0, 0.0, 1.0}));
    auto paths = rows_of<results::PathRow>(record);
    std::erase_if(paths, [](const auto& row) { return row.alone > 0.0; });  // further tests
    ASSERT_EQ(paths.size(), 2u);
    EXPECT_EQ(paths[0].path, "same leaf");
    EXPECT_EQ(paths[1].path, "across leaves");
    EXPECT_EQ(paths[1].tests, 8.0);
}

}  // namespace
}  // namespace shardstone::validation
