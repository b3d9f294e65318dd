// SPDX-License-Identifier: BSD-3-Clause
// Every flag of `shardstone collectives` acts: what the record of the real command holds with it.
#include <gtest/gtest.h>

#include <algorithm>
#include <regex>

#include "collectives/cluster/description.hpp"
#include "validation/unit/jobs/command/recorded_run.hpp"

namespace shardstone::validation {
namespace {

/// On 2 ranks where not said otherwise, by a description, so that nothing is calibrated first.
RecordedRun sweep(const std::string& arguments, int ranks = 2) {
    return {
        ranks, "collectives --cluster clock.toml " + arguments, {{"clock.toml", clock_cluster}}};
}

/// Brief, at one size.
const std::string brief = "--algorithm ring -b 64 -e 64 -n 6 -w 0 ";

std::vector<double> column(const RecordedRun& run, const std::string& name) {
    return run.record().table("collectives").column(name).numbers;
}

std::vector<std::string> texts(const RecordedRun& run, const std::string& name) {
    return run.record().table("collectives").column(name).texts;
}

using Numbers = std::vector<double>;
using Texts = std::vector<std::string>;

TEST(SweepFlags, StandInTheRecordUnderTheirOwnNames) {
    const auto run = sweep(
        "--op reduce,scatter --algorithm mpi,linear -b 24 -e 200 -f 3 -n 7 -w 2 -c 4 -d fp64 "
        "-o max -r 2 --shares ramp --in-place no --rotate 5 --seconds 0.25 --ranks-per-node 3",
        3);
    ASSERT_EQ(run.code(), 0) << run.errors();
    const nlohmann::json& in_force = run.record().configuration;
    const nlohmann::json wanted{{"operations", {"reduce", "scatter"}},
                                {"algorithms", {"mpi", "linear"}},
                                {"smallest", "24"},
                                {"largest", "200"},
                                {"factor", 3},
                                {"iterations", 7},
                                {"warmup", 2},
                                {"checks", 4},
                                {"type", "fp64"},
                                {"reduction", "max"},
                                {"root", 2},
                                {"shares", "ramp"},
                                {"in_place", "no"},
                                {"rotate", "5"},
                                {"seconds_per_point", 0.25},
                                {"ranks_per_node", 3},
                                {"noise_floor", false},
                                {"fail_on_outlier", false},
                                {"cluster", "clock.toml"}};
    for (const auto& [name, value] : wanted.items()) EXPECT_EQ(in_force.at(name), value) << name;
}

TEST(SweepFlags, LongNamesAreTheShortOnes) {
    const auto run = sweep(
        "--op reduce --algorithm mpi --minbytes 16 --maxbytes 64 --stepfactor 4 --iters 8 "
        "--warmup_iters 3 --check 2 --datatype fp64 --reduction min --root 1");
    ASSERT_EQ(run.code(), 0) << run.errors();
    const nlohmann::json& in_force = run.record().configuration;
    const nlohmann::json wanted{{"smallest", "16"}, {"largest", "64"},    {"factor", 4},
                                {"iterations", 8},  {"warmup", 3},        {"checks", 2},
                                {"type", "fp64"},   {"reduction", "min"}, {"root", 1}};
    for (const auto& [name, value] : wanted.items()) EXPECT_EQ(in_force.at(name), value) << name;
}

TEST(SweepFlags, OpAndAlgorithmSayWhatIsMeasured) {
    const auto run = sweep("--op gather,broadcast --algorithm mpi,linear -b 64 -e 64 -n 6 -w 0");
    ASSERT_EQ(run.code(), 0) << run.errors();
    EXPECT_EQ(texts(run, "operation"), (Texts{"gather", "gather", "broadcast", "broadcast"}));
    EXPECT_EQ(texts(run, "algorithm"), (Texts{"mpi", "linear", "mpi", "linear"}));
}

TEST(SweepFlags, ItersAndWarmupItersAreCounts) {
    const auto run = sweep("--algorithm ring,mpi -b 64 -e 64 -n 11 -w 4");
    ASSERT_EQ(run.code(), 0) << run.errors();
    EXPECT_EQ(column(run, "warmup_iterations"), (Numbers{4, 4}));
    const Rows points(run.record(), "collectives");
    for (std::size_t row = 0; row < points.count(); ++row) {
        EXPECT_EQ(samples_of(run.record(), name_of(points, row)).size(), 11U);
    }
    EXPECT_EQ(run.record().table("samples").rows(), 22U);
    EXPECT_EQ(column(sweep("--algorithm ring -b 64 -e 64 -n 6 -w 0"), "warmup_iterations"),
              Numbers{0});
}

TEST(SweepFlags, SizesGrowByTheFactorInWholeElementsOfTheType) {
    const auto sizes = [](const std::string& flags) {
        return column(sweep("--algorithm ring -n 6 -w 0 " + flags), "size_bytes");
    };
    EXPECT_EQ(sizes("-b 6 -e 60 -f 3 -d bf16"), (Numbers{6, 18, 54}));
    EXPECT_EQ(sizes("-b 8 -e 1K -f 5 -d fp64"), (Numbers{8, 40, 200, 1000}));
    // Five elements of 8 bytes in two shares: six. Of 2 bytes there are twenty.
    EXPECT_EQ(sizes("--op all_gather -b 40 -e 40 -d fp64"), Numbers{48});
    EXPECT_EQ(sizes("--op all_gather -b 40 -e 40 -d bf16"), Numbers{40});
}

TEST(SweepFlags, CheckIsHowManyRunsAreLookedAt) {
    const auto none = sweep(brief + "-c 0");
    EXPECT_EQ(none.code(), 0) << none.errors();
    EXPECT_TRUE(none.record().verification.empty());
    EXPECT_EQ(column(none, "checked"), Numbers{0});
    // The last column of its row, or the last but the mark of a busy machine.
    EXPECT_TRUE(std::regex_search(none.output(), std::regex(" 64 +no( !.*)?\\n"))) << none.output();
    const auto three = sweep(brief + "-c 3");
    ASSERT_EQ(three.record().verification.size(), 1U);
    EXPECT_EQ(three.record().verification.front().detail,
              "0 wrong elements in the last timed iteration and 2 more runs");
    EXPECT_EQ(column(three, "checked"), Numbers{1});
}

TEST(SweepFlags, InPlaceChoosesWhatIsMeasured) {
    const auto places = [](const std::string& word) {
        return column(sweep("--op all_gather,all_to_all --algorithm linear -b 64 -e 64 -n 6 -w 0 "
                            "--in-place " +
                            word),
                      "in_place");
    };
    EXPECT_EQ(places("yes"), (Numbers{1, 1}));
    EXPECT_EQ(places("no"), (Numbers{0, 0}));
    EXPECT_EQ(places("both"), (Numbers{0, 1, 0, 1}));
    EXPECT_EQ(places("auto"), (Numbers{1, 0}));
}

TEST(SweepFlags, RotateIsHowManyBuffersTakeTurns) {
    EXPECT_EQ(column(sweep(brief), "rotated_buffers"), Numbers{1});
    EXPECT_EQ(column(sweep(brief + "--rotate 3"), "rotated_buffers"), Numbers{3});
    // As many as sweep the caches clean: more for smaller vectors.
    const auto automatic =
        column(sweep("--algorithm ring -b 64K -e 256K -f 4 -n 6 -w 0 -c 0 --rotate auto"),
               "rotated_buffers");
    ASSERT_EQ(automatic.size(), 2U);
    EXPECT_GT(automatic[0], automatic[1]);
    EXPECT_GT(automatic[1], 1.0);
}

TEST(SweepFlags, RampSharesAreOneToPParts) {
    // 11 elements, to the nearest in 1 + 2 + 3 + 4 = 10 parts. In a ring each rank passes on all
    // shares but one: the most, all but the one of a single part.
    const auto ramp =
        sweep("--op all_gather --algorithm ring -b 44 -e 44 -n 6 -w 0 --shares ramp", 4);
    ASSERT_EQ(ramp.code(), 0) << ramp.errors();
    EXPECT_EQ(column(ramp, "size_bytes"), Numbers{40});
    EXPECT_EQ(column(ramp, "bytes_sent_per_rank"), Numbers{36});
    const auto even =
        sweep("--op all_gather --algorithm ring -b 44 -e 44 -n 6 -w 0 --shares even", 4);
    EXPECT_EQ(column(even, "size_bytes"), Numbers{48});
    EXPECT_EQ(column(even, "bytes_sent_per_rank"), Numbers{36});
}

TEST(SweepFlags, RanksPerNodeDeclaresNodes) {
    const auto run = sweep(brief + "--ranks-per-node 3", 4);
    ASSERT_EQ(run.code(), 0) << run.errors();
    EXPECT_EQ(run.record().environment.at("ranks"), 4);
    EXPECT_NE(run.record().configuration.at("topology").get<std::string>().find("2 nodes"),
              std::string::npos)
        << run.record().configuration.at("topology");
    EXPECT_NE(run.output().find("between"), std::string::npos) << "columns of several nodes";
}

TEST(SweepFlags, NoiseFloorIsMeasuredWhereAskedFor) {
    EXPECT_FALSE(sweep(brief).record().has_table("noise_floor"));
    const auto run = sweep(brief + "--noise-floor --seconds 0.02");
    ASSERT_EQ(run.code(), 0) << run.errors();
    EXPECT_EQ(run.record().table("noise_floor").rows(), 1U);
    EXPECT_NE(run.output().find("noise floor at 64 B: ring against itself"), std::string::npos);
}

TEST(SweepFlags, Hdf5HoldsTheSameRecord) {
    const TemporaryFolder folder;
    const auto hdf5 = (folder / "record.h5").string();
    const auto run = sweep(brief + "--hdf5 " + hdf5);
    ASSERT_EQ(run.code(), 0) << run.errors();
    EXPECT_EQ(results::hash_of(results::read_record(hdf5)), results::hash_of(run.record()));
}

TEST(SweepFlags, WithoutAClusterThisMachineIsMeasuredFirstUpToTheLargestSize) {
    const RecordedRun run(
        2, "collectives --algorithm ring -b 64 -e 4K -f 64 -n 6 -w 0 -d fp64 -o max");
    ASSERT_EQ(run.code(), 0) << run.errors();
    EXPECT_NE(run.output().find("measured by 2 ranks"), std::string::npos) << run.output();
    const auto description = run.record().configuration.at("prediction").get<std::string>();
    EXPECT_NE(description.find("fp64 max, all ranks at once"), std::string::npos) << description;
    EXPECT_EQ(run.record().configuration.at("cluster"), "");
    EXPECT_LT(column(run, "predicted_s").front(), 0.1);  // what it would be by clock.toml
    const auto cluster = collectives::parse_cluster(description, "record");
    EXPECT_EQ(cluster.intra_node.measured.points().back().size_bytes, 4096) << description;
    EXPECT_EQ(cluster.reduction.measured.points().back().size_bytes, 4096) << description;
}

TEST(SweepFlags, AccuracyStudiesTheTypesElementsAndOperationsNamed) {
    const RecordedRun run(3,
                          "collectives --accuracy --op all_reduce,reduce_scatter "
                          "--algorithm ring,mpi --types fp64,bf16 --elements 301 --runs 5");
    ASSERT_EQ(run.code(), 0) << run.errors();
    EXPECT_EQ(run.record().configuration.at("runs"), 5);
    const Rows rows(run.record(), "accuracy");
    std::vector<std::string> seen;
    for (std::size_t row = 0; row < rows.count(); ++row) {
        EXPECT_GE(rows.number(row, "elements"), 300.0);
        EXPECT_LE(rows.number(row, "elements"), 303.0);
        seen.push_back(rows.text(row, "operation") + " " + rows.text(row, "algorithm") + " " +
                       rows.text(row, "type"));
    }
    std::ranges::sort(seen);
    EXPECT_EQ(seen,
              (Texts{"all_reduce mpi bf16", "all_reduce mpi fp64", "all_reduce ring bf16",
                     "all_reduce ring fp64", "reduce_scatter mpi bf16", "reduce_scatter mpi fp64",
                     "reduce_scatter ring bf16", "reduce_scatter ring fp64"}));
}

}  // namespace
}  // namespace shardstone::validation
