// SPDX-License-Identifier: BSD-3-Clause
// Runs that chose differently are of different curves; those without a choice are in each.
#include "results/report/choices.hpp"

#include <gtest/gtest.h>

#include "results/report/scaling_curve.hpp"
#include "validation/unit/results/report_rows.hpp"
#include "validation/unit/results/scaling/scaled_runs.hpp"

namespace shardstone::validation {
namespace {

using nlohmann::json;
using namespace results;

Record run_on(int ranks, double tokens_per_s) {
    return written_run({ranks, tokens_per_s, 100.0 * ranks});
}

/// Rates of the points of each curve, by its name's last words before the colon.
std::vector<std::vector<double>> rates_of(const std::vector<Record>& records,
                                          const std::vector<std::string>& words) {
    const auto sources = as_sources(records);
    const auto curves = scaling_curves(sources);
    std::vector<std::vector<double>> rates;
    for (std::size_t i = 0; i < curves.size(); ++i) {
        rates.emplace_back();
        for (const auto& point : curves[i].points) {
            rates.back().insert(rates.back().end(), point.rates.begin(), point.rates.end());
        }
        EXPECT_NE(curves[i].name().find(words.at(i)), std::string::npos) << curves[i].name();
    }
    return rates;
}

/// A setting with two values, and what tells the curves of these apart.
struct Setting {
    const char* key;
    json usual, other;
    std::string words_of_usual, words_of_other;
};

const std::vector<Setting> settings{
    {"all_reduce", "ring", "recursive_doubling", "all-reduce ring",
     "all-reduce recursive_doubling"},
    {"bucket_bytes", 1 << 20, 4 << 20, "buckets of 1 MiB", "buckets of 4 MiB"},
    {"overlap", true, false, ", overlapped", "not overlapped"},
    {"gradient_wire", "full", "bf16", "gradient wire full", "gradient wire bf16"},
    {"recompute", "none", "full", "recomputation none", "recomputation full"},
    {"reproducible", true, false, ", reproducible", "not reproducible"},
    {"chunks", 2, 4, "chunks 2", "chunks 4"},
    {"scatter_gather", true, false, ", scatter-gather", "no scatter-gather"}};

/// One rank holds null, and is the base of both curves; the points on 2 have one run each.
TEST(Choices, ThatDifferMakeCurvesWithACommonBase) {
    for (const Setting& setting : settings) {
        std::vector<Record> records{run_on(1, 1000.0), run_on(2, 1800.0), run_on(2, 1500.0)};
        records[0].configuration[setting.key] = nullptr;
        records[1].configuration[setting.key] = setting.usual;
        records[2].configuration[setting.key] = setting.other;
        const auto sources = as_sources(records);
        const auto curves = scaling_curves(sources);
        ASSERT_EQ(curves.size(), 2U) << setting.key;
        const std::vector<std::string> words{setting.words_of_usual, setting.words_of_other};
        for (std::size_t i = 0; i < 2; ++i) {
            EXPECT_EQ(curves[i].base().rates.size(), 1U) << setting.key;
            ASSERT_EQ(curves[i].points[1].rates.size(), 1U) << setting.key;
            EXPECT_NE(curves[i].name().find(words[i]), std::string::npos) << curves[i].name();
        }
        EXPECT_DOUBLE_EQ(curves[0].efficiency(curves[0].points[1]), 0.9) << setting.key;
        EXPECT_DOUBLE_EQ(curves[1].efficiency(curves[1].points[1]), 0.75) << setting.key;
    }
}

/// Frozen or not is a choice on one rank, too.
TEST(Choices, OfFrozenTensorsHaveNoBaseInCommon) {
    std::vector<Record> records{run_on(1, 1000.0), run_on(2, 1800.0), run_on(2, 1500.0)};
    records[0].configuration["frozen"] = records[1].configuration["frozen"] = nullptr;
    records[2].configuration["frozen"] = "blocks";
    EXPECT_EQ(rates_of(records, {"weak scaling"}),
              (std::vector<std::vector<double>>{{1000.0, 1800.0}}));
    records[0].configuration["frozen"] = "blocks";
    EXPECT_EQ(rates_of(records, {"weak scaling"}),
              (std::vector<std::vector<double>>{{1000.0, 1500.0}}));
}

TEST(Choices, OfStagesAreTheirLayers) {
    std::vector<Record> records{run_on(1, 1000.0), run_on(2, 1800.0), run_on(2, 1500.0)};
    for (Record& record : records) {
        record.configuration["stage_layers"] = nullptr;
        record.configuration["schedule"] = "1f1b";
    }
    records[0].configuration["schedule"] = nullptr;
    records[2].configuration["stage_layers"] = "3,1";
    EXPECT_EQ(rates_of(records, {"even stages", "stages of layers 3,1"}),
              (std::vector<std::vector<double>>{{1000.0, 1800.0}, {1000.0, 1500.0}}));
}

TEST(Choices, ThatAreEqualAreNotNamed) {
    std::vector<Record> records{run_on(1, 1000.0), run_on(2, 1800.0), run_on(2, 1700.0)};
    records[1].configuration["all_reduce"] = "ring";
    records[2].configuration["all_reduce"] = "ring";
    const auto sources = as_sources(records);
    const auto curves = scaling_curves(sources);
    ASSERT_EQ(curves.size(), 1U);
    EXPECT_EQ(curves[0].points[1].rates.size(), 2U);
    EXPECT_EQ(curves[0].name().find("ring"), std::string::npos) << curves[0].name();
}

Record placed(const std::vector<int>& node_of_ranks, double tokens_per_s) {
    Record record = run_on(static_cast<int>(node_of_ranks.size()), tokens_per_s);
    record.environment["node_of_ranks"] = node_of_ranks;
    return record;
}

// The runs on one node, and that of an older version, which does not say, are of both curves.
TEST(Choices, OfPlacementAreOrders) {
    const Record base = placed({0, 0}, 2000.0);
    const Record old = run_on(6, 5000.0);
    const auto rates =
        rates_of({base, placed({0, 0, 1, 1}, 3000.0), placed({0, 1, 0, 1}, 3500.0),
                  placed({0, 1, 1, 0}, 3200.0), old},
                 {"nodes filled one after the other", "ranks dealt to the nodes in turn",
                  "ranks on nodes in no plain order"});
    const std::vector<std::vector<double>> expected{
        {2000.0, 3000.0, 5000.0}, {2000.0, 3500.0, 5000.0}, {2000.0, 3200.0, 5000.0}};
    EXPECT_EQ(rates, expected);
}

// 4 ranks on 2 nodes do not repeat 4 ranks on one; 2 ranks on one node are the base of both.
TEST(Choices, OfPlacementAreRanksPerNodeWhereTheseDiffer) {
    const auto rates = rates_of({placed({0, 0}, 2000.0), placed({0, 0, 0, 0}, 3000.0),
                                 placed({0, 0, 1, 1}, 3500.0), placed({0, 0, 1, 1, 2, 2}, 5000.0)},
                                {"4 ranks per node", "2 ranks per node"});
    const std::vector<std::vector<double>> expected{{2000.0, 3000.0}, {2000.0, 3500.0, 5000.0}};
    EXPECT_EQ(rates, expected);
}

// The ranks per node grow along a curve on a fixed number of nodes.
TEST(Choices, OfPlacementLeaveRanksPerNodeToGrow) {
    const auto rates =
        rates_of({placed({0, 1}, 2000.0), placed({0, 0, 1, 1}, 3000.0)}, {"weak scaling"});
    EXPECT_EQ(rates, (std::vector<std::vector<double>>{{2000.0, 3000.0}}));
}

TEST(Choices, AreJoinedAsFarAsTheyFit) {
    const Choices any{"", ""}, ring{"ring", ""}, tree{"tree", ""}, dealt{"", "dealt"};
    EXPECT_EQ(ways_to_choose({any}), (std::vector<Choices>{any}));
    EXPECT_EQ(ways_to_choose({any, ring, dealt}), (std::vector<Choices>{{"ring", "dealt"}}));
    EXPECT_EQ(ways_to_choose({dealt, tree, any, ring}),
              (std::vector<Choices>{{"tree", "dealt"}, {"ring", "dealt"}}));
    EXPECT_TRUE(fit(ring, dealt));
    EXPECT_FALSE(fit(ring, tree));
}

}  // namespace
}  // namespace shardstone::validation
