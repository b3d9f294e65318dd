// SPDX-License-Identifier: BSD-3-Clause
// The figures in the record of `shardstone collectives`, against what follows from its samples by
// published definitions and from counting messages: nothing here asks the code that wrote them.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <regex>

#include "validation/unit/jobs/command/recorded_run.hpp"

namespace shardstone::validation {
namespace {

/// A few units of roundoff: products and quotients of what is compared.
void expect_same(double got, double want, const std::string& what) {
    EXPECT_NEAR(got, want, 4e-16 * std::abs(want)) << what;
}

RecordedRun run_with_clock(int ranks, const std::string& arguments) {
    return {
        ranks, "collectives --cluster clock.toml " + arguments, {{"clock.toml", clock_cluster}}};
}

/// busbw over algbw on 3 ranks. nccl-tests, doc/PERFORMANCE.md and src/*.cu (getBw): 2 (P-1) / P
/// for an all-reduce, (P-1) / P for what gathers, scatters or exchanges shares, 1 for broadcast,
/// reduce and a message. A ping-pong sends the message there and back.
const std::map<std::string, double> factors_on_3_ranks{
    {"all_reduce", 4.0 / 3.0}, {"all_gather", 2.0 / 3.0}, {"reduce_scatter", 2.0 / 3.0},
    {"all_to_all", 2.0 / 3.0}, {"gather", 2.0 / 3.0},     {"scatter", 2.0 / 3.0},
    {"broadcast", 1.0},        {"reduce", 1.0},           {"ring_shift", 1.0},
    {"multi_pair", 1.0},       {"bidirectional", 1.0},    {"ping_pong", 2.0}};

/// All that follows from the nine samples of one point.
void expect_figures_of_nine(const results::Record& record, const Rows& points, std::size_t row) {
    const PointName name = name_of(points, row);
    const std::string what = described(name);
    const auto times_s = samples_of(record, name);
    ASSERT_EQ(times_s.size(), 9U) << what;
    auto sorted_s = times_s;
    std::ranges::sort(sorted_s);
    EXPECT_EQ(points.number(row, "time_s"), sorted_s[4]) << what;
    // Le Boudec, table A.1: of nine, the second and the eighth.
    EXPECT_EQ(points.number(row, "time_low_s"), sorted_s[1]) << what;
    EXPECT_EQ(points.number(row, "time_high_s"), sorted_s[7]) << what;
    EXPECT_TRUE(std::isnan(points.number(row, "p95_s"))) << what << ": 9 samples have no p95";
    const double algbw_gb_s = name.size_bytes / 1e9 / sorted_s[4];
    expect_same(points.number(row, "algbw_gb_s"), algbw_gb_s, what);
    ASSERT_TRUE(factors_on_3_ranks.contains(name.operation)) << name.operation;
    expect_same(points.number(row, "busbw_gb_s"),
                algbw_gb_s * factors_on_3_ranks.at(name.operation), what + ": busbw");
    const auto skews_s = samples_of(record, name, "skew_s");
    const auto with_skew_s = samples_of(record, name, "with_skew_s");
    EXPECT_EQ(points.number(row, "skew_s"), middle_of(skews_s)) << what;
    constexpr double clock_s = 1e-8;  // readings of a clock that began long ago, in doubles
    for (std::size_t i = 0; i < times_s.size(); ++i) {
        // Who ended last had begun with the last or earlier, at most with the first.
        EXPECT_GE(with_skew_s[i], times_s[i] - clock_s) << what;
        EXPECT_LE(with_skew_s[i], times_s[i] + skews_s[i] + clock_s) << what;
    }
}

TEST(SweepFigures, FollowFromTheSamplesForEveryOperation) {
    const auto run = run_with_clock(3, "--op all --algorithm mpi -b 4800 -e 4800 -n 9 -w 1");
    ASSERT_EQ(run.code(), 0) << run.errors();
    const Rows points(run.record(), "collectives");
    std::map<std::string, int> seen;
    int strict = 0;
    for (std::size_t row = 0; row < points.count(); ++row) {
        expect_figures_of_nine(run.record(), points, row);
        EXPECT_EQ(points.number(row, "ranks"), 3.0);
        EXPECT_EQ(points.number(row, "checked"), 1.0);
        seen[points.text(row, "operation")] += 1;
        const double time_s = points.number(row, "time_s");
        strict +=
            points.number(row, "time_low_s") < time_s && time_s < points.number(row, "time_high_s");
    }
    EXPECT_EQ(seen.size(), factors_on_3_ranks.size());
    EXPECT_EQ(points.count(), factors_on_3_ranks.size());
    // Nine times to the nanosecond are seldom alike.
    EXPECT_GT(strict, static_cast<int>(points.count()) / 2);
}

TEST(SweepFigures, PercentilesAreThoseOfTheSamples) {
    const auto run = run_with_clock(2, "--algorithm ring -b 4 -e 4 -n 1000 -w 1");
    ASSERT_EQ(run.code(), 0) << run.errors();
    const Rows points(run.record(), "collectives");
    auto times_s = samples_of(run.record(), name_of(points, 0));
    ASSERT_EQ(times_s.size(), 1000U);
    std::ranges::sort(times_s);
    // Linear between the samples: 0.95 x 999 = 949.05, 0.99 x 999 = 989.01.
    EXPECT_NEAR(points.number(0, "p95_s"), times_s[949] * 0.95 + times_s[950] * 0.05, 1e-15);
    EXPECT_NEAR(points.number(0, "p99_s"), times_s[989] * 0.99 + times_s[990] * 0.01, 1e-15);
    EXPECT_GT(points.number(0, "p99_s"), points.number(0, "time_s"));
}

struct Counted {
    const char* arguments;
    int ranks;
    double inside_bytes, between_bytes;
};

/// What the rank that sends the most there puts on the links inside its node and between nodes,
/// counted from what the algorithm is.
void expect_counted(const Counted& counted) {
    const auto run =
        run_with_clock(counted.ranks, std::string(counted.arguments) + " -b 4K -e 4K -n 6 -w 0");
    ASSERT_EQ(run.code(), 0) << run.errors();
    const Rows points(run.record(), "collectives");
    ASSERT_EQ(points.count(), 1U);
    EXPECT_EQ(points.number(0, "inside_node_bytes"), counted.inside_bytes) << counted.arguments;
    EXPECT_EQ(points.number(0, "between_nodes_bytes"), counted.between_bytes) << counted.arguments;
}

TEST(SweepFigures, BytesInsideNodesAndBetweenThemAreThoseOfTheAlgorithm) {
    // Two nodes of two ranks: inside, half a vector to scatter and half to gather; between, half of
    // a half each.
    expect_counted({"--algorithm hierarchical:ring/ring --ranks-per-node 2", 4, 4096, 2048});
    // The same on one node: a ring of four, 3 quarters there and 3 back.
    expect_counted({"--algorithm ring", 4, 6144, 0});
    // Every other rank gets a quarter: one on the node, two on the other.
    expect_counted({"--op all_to_all --algorithm linear --ranks-per-node 2", 4, 1024, 2048});
}

TEST(SweepFigures, TheRootIsWhoSends) {
    // Nodes {0, 1}, {2, 3}, {4}: the root sends a vector to each of the others.
    const std::string linear = "--op broadcast --algorithm linear --ranks-per-node 2";
    expect_counted({linear.c_str(), 5, 4096, 3 * 4096});
    expect_counted({(linear + " -r 4").c_str(), 5, 0, 4 * 4096});
    expect_counted({(linear + " --root 3").c_str(), 5, 4096, 3 * 4096});
}

TEST(SweepFigures, BytesSentAreThoseOfTheRankThatSendsTheMost) {
    const auto sent_bytes = [](const std::string& arguments) {
        const auto run = run_with_clock(4, arguments + " --algorithm linear -b 4K -e 4K -n 6 -w 0");
        EXPECT_EQ(run.code(), 0) << run.errors();
        return Rows(run.record(), "collectives").number(0, "bytes_sent_per_rank");
    };
    // The root alone sends, a vector to each of the others; or it alone does not.
    EXPECT_EQ(sent_bytes("--op broadcast --root 2"), 3 * 4096.0);
    EXPECT_EQ(sent_bytes("--op reduce --root 2"), 4096.0);
}

/// Five prices, each another.
const char* const priced_cluster = R"(name = "priced"
source = "made up"
nodes = 2
ranks_per_node = 2
[links.intra_node]
alpha_s = 3e-6
bandwidth_gb_s = 8.0
source = "made up"
[links.inter_node]
alpha_s = 7e-5
bandwidth_gb_s = 2.0
source = "made up"
[reduction]
rate_gb_s = 4.0
source = "made up"
)";

TEST(SweepFigures, CostParametersAreThoseOfTheDescriptionGiven) {
    const RecordedRun run(4,
                          "collectives --cluster priced.toml --ranks-per-node 2 --algorithm ring"
                          " -b 64 -e 64 -n 6 -w 0",
                          {{"priced.toml", priced_cluster}});
    ASSERT_EQ(run.code(), 0) << run.errors();
    const Rows rows(run.record(), "cost_parameters");
    std::map<std::string, double> costs;
    for (std::size_t row = 0; row < rows.count(); ++row) {
        costs[rows.text(row, "name")] = rows.number(row, "value");
    }
    const std::map<std::string, double> given{{"alpha_intra_node_s", 3e-6},
                                              {"beta_intra_node_s_per_byte", 1.0 / 8e9},
                                              {"alpha_inter_node_s", 7e-5},
                                              {"beta_inter_node_s_per_byte", 1.0 / 2e9},
                                              {"gamma_s_per_byte", 1.0 / 4e9}};
    EXPECT_EQ(rows.count(), given.size());
    EXPECT_EQ(costs, given);
}

TEST(SweepFigures, PredictionsGoByTheDescriptionGiven) {
    // 2 (P-1) steps of a ring of four: of 0.1 s each inside a node, of 10 s between nodes of one.
    for (const auto& [nodes, time_s] :
         {std::pair{"--ranks-per-node 4", 0.6}, std::pair{"--ranks-per-node 1", 60.0}}) {
        const auto run =
            run_with_clock(4, fmt::format("--algorithm ring -b 64 -e 64 -n 6 -w 0 {}", nodes));
        ASSERT_EQ(run.code(), 0) << run.errors();
        EXPECT_NEAR(Rows(run.record(), "collectives").number(0, "predicted_s"), time_s, 1e-9);
    }
}

double seconds(const std::string& number, const std::string& unit) {
    static const std::map<std::string, double> units{
        {"s", 1.0}, {"ms", 1e-3}, {"us", 1e-6}, {"ns", 1e-9}};
    return std::stod(number) * units.at(unit);
}

/// "12.3 us" or "-" as seconds, what is printed to three digits being within half a percent.
void expect_printed_time(const std::string& printed, double time_s, const char* what) {
    const auto space = printed.find(' ');
    if (space == std::string::npos) {
        EXPECT_EQ(printed, "-") << what;
        EXPECT_TRUE(std::isnan(time_s)) << what;
        return;
    }
    EXPECT_NEAR(seconds(printed.substr(0, space), printed.substr(space + 1)), time_s,
                0.006 * time_s)
        << what;
}

void expect_printed_number(const std::string& printed, double value, const char* what) {
    EXPECT_NEAR(std::stod(printed), value, 0.006 * value) << what;
}

TEST(SweepFigures, TheTableShowsThoseOfTheRecord) {
    const auto run = run_with_clock(
        4, "--algorithm hierarchical:ring/ring --ranks-per-node 2 -b 4K -e 4K -n 200 -w 1");
    ASSERT_EQ(run.code(), 0) << run.errors();
    const std::string time = R"( +(- *?|[0-9.]+ [mun]?s))";
    const std::string number = R"( +(\S+))";
    const std::regex row(R"((\S+ \S+) +1024 +yes hierarchical:ring/ring)" + time +
                         R"( +([0-9.]+ [mun]?s) to ([0-9.]+ [mun]?s))" + time + time + time + time +
                         number + number + time + number + number +  // algbw to sent
                         number + number + number + number + number);
    std::smatch cells;
    ASSERT_TRUE(std::regex_search(run.output(), cells, row)) << run.output();
    const Rows points(run.record(), "collectives");
    EXPECT_EQ(cells[1], "4 KiB");
    expect_printed_time(cells[2], points.number(0, "time_s"), "time");
    expect_printed_time(cells[3], points.number(0, "time_low_s"), "low");
    expect_printed_time(cells[4], points.number(0, "time_high_s"), "high");
    const auto times_s = samples_of(run.record(), name_of(points, 0));
    const double sum_s = std::accumulate(times_s.begin(), times_s.end(), 0.0);
    expect_printed_time(cells[5], sum_s / 200.0, "mean");
    expect_printed_time(cells[6], points.number(0, "p95_s"), "p95");
    expect_printed_time(cells[7], points.number(0, "p99_s"), "p99");
    expect_printed_time(cells[8], points.number(0, "skew_s"), "skew");
    expect_printed_number(cells[9], points.number(0, "algbw_gb_s"), "algbw");
    expect_printed_number(cells[10], points.number(0, "busbw_gb_s"), "busbw");
    expect_printed_time(cells[11], points.number(0, "predicted_s"), "predicted");
    const double time_s = points.number(0, "time_s");
    EXPECT_NEAR(std::stod(cells[12]), time_s / points.number(0, "predicted_s"), 0.006)
        << "meas/pred";
    EXPECT_EQ(cells[13], "6144") << "sent";
    EXPECT_EQ(cells[14], "4096") << "in node";
    expect_printed_number(cells[15], 4096e-9 / time_s, "GB/s in node");
    EXPECT_EQ(cells[16], "2048") << "between";
    expect_printed_number(cells[17], 2048e-9 / time_s, "GB/s between");
    EXPECT_EQ(cells[18], "exact");
}

TEST(SweepFigures, TheFindingsAreRatiosOfWhatWasMeasured) {
    const auto run = run_with_clock(2, "--algorithm ring,swing,mpi -b 64 -e 64 -n 50 -w 5");
    ASSERT_EQ(run.code(), 0) << run.errors();
    const Rows points(run.record(), "collectives");
    const auto time_s = [&](const char* algorithm) {
        return points.number(row_of(points, "all_reduce", algorithm), "time_s");
    };
    const bool ring = time_s("ring") <= time_s("swing");
    const double best_s = std::min(time_s("ring"), time_s("swing"));
    const std::regex line(R"(all_reduce +64 B: (\S+) takes ([0-9.]+ [mun]?s), mpi )"
                          R"(([0-9.]+ [mun]?s): (\S+) times as long)");
    std::smatch cells;
    const std::string output = run.output();
    if (output.find("undecided") != std::string::npos) GTEST_SKIP() << "the machine is busy";
    ASSERT_TRUE(std::regex_search(output, cells, line)) << output;
    EXPECT_EQ(cells[1], ring ? "ring" : "swing");
    expect_printed_time(cells[2], best_s, "ours");
    expect_printed_time(cells[3], time_s("mpi"), "the library's");
    expect_printed_number(cells[4], time_s("mpi") / best_s, "ratio");
}

TEST(SweepFigures, TheNoiseFloorIsTheMiddleAndTheRangeOfItsRounds) {
    const auto run = run_with_clock(
        2, "--algorithm ring,mpi -b 64 -e 64 -n 9 -w 1 --noise-floor --seconds 0.05");
    ASSERT_EQ(run.code(), 0) << run.errors();
    const Rows floors(run.record(), "noise_floor");
    ASSERT_EQ(floors.count(), 1U);
    EXPECT_EQ(name_of(floors, 0), (PointName{"all_reduce", "ring", 1.0, 64.0}));
    const Rows rounds(run.record(), "noise_floor_rounds");
    ASSERT_EQ(rounds.count(), 39U);  // 38 of 40 gaps lie between the ends: 95 %
    std::vector<double> ratios;
    for (std::size_t row = 0; row < rounds.count(); ++row) {
        EXPECT_EQ(rounds.number(row, "round"), static_cast<double>(row));
        ratios.push_back(rounds.number(row, "ratio"));
    }
    EXPECT_EQ(floors.number(0, "ratio"), middle_of(ratios));
    EXPECT_EQ(floors.number(0, "ratio_low"), std::ranges::min(ratios));
    EXPECT_EQ(floors.number(0, "ratio_high"), std::ranges::max(ratios));
    EXPECT_GE(floors.number(0, "iterations_per_round"), 3.0);
}

}  // namespace
}  // namespace shardstone::validation
