// SPDX-License-Identifier: BSD-3-Clause
// `shardstone topology` as a user starts it: its description, record, words and exit code.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <memory>

#include "collectives/cluster/description.hpp"
#include "results/inventory/asymmetries.hpp"
#include "results/recompute/recompute.hpp"
#include "results/schema/topology.hpp"
#include "validation/unit/jobs/command/recorded_run.hpp"
#include "validation/unit/results/planted_machine.hpp"

namespace shardstone::validation {
namespace {

using results::AsymmetryRow;
using results::DeviceRow;

bool holds(const std::string& text, const std::string& words) {
    return text.find(words) != std::string::npos;
}

/// A folder in which commands run one after the other.
class Place {
  public:
    Outcome run(int ranks, const std::string& command) const {
        return run_shell(fmt::format("cd {} && mpiexec -n {} {} {}", folder_.path().string(), ranks,
                                     shardstone_binary(), command),
                         folder_);
    }
    Outcome run_line(const std::string& line) const {
        return run_shell("cd " + folder_.path().string() + " && " + line, folder_);
    }
    std::filesystem::path path(const std::string& name) const { return folder_ / name; }
    results::Record record() const { return results::read_record(folder_ / "t.json"); }

  private:
    TemporaryFolder folder_;
};

/// Nodes 0, 1, ... planted as trees/0, trees/1, ... of a place.
class PlantedCluster {
  public:
    PlantedCluster(const Place& place, int nodes) {
        for (int node = 0; node < nodes; ++node) {
            machines_.push_back(std::make_unique<PlantedMachine>(
                place.path(fmt::format("trees/{}", node)), fmt::format("cn{:02}", node)));
        }
    }
    const PlantedMachine& node(std::size_t node) const { return *machines_.at(node); }

  private:
    std::vector<std::unique_ptr<PlantedMachine>> machines_;
};

const std::string planted = "topology --ranks-per-node 1 --root trees/{node} ";

TEST(TopologyCommand, ItsDescriptionIsReadByOtherCommands) {
    for (const int ranks : {1, 2, 3, 5}) {
        const Place place;
        const auto written =
            place.run(ranks, "topology --ranks-per-node 1 --out here.toml --json t.json");
        EXPECT_EQ(written.code, 0) << written.output << written.errors;
        EXPECT_TRUE(holds(written.output, "Description written to here.toml: rates are nominal"));
        const auto cluster = collectives::read_cluster(place.path("here.toml"));
        EXPECT_EQ(cluster.nodes, ranks);
        EXPECT_EQ(cluster.ranks_per_node, 1);
        EXPECT_EQ(results::rows_of<results::NodeRow>(place.record()).size(),
                  static_cast<std::size_t>(ranks));
        EXPECT_TRUE(place.record().verified());
        if (ranks < 2) continue;
        const auto simulated =
            place.run(1, fmt::format("simulate --cluster here.toml --ranks {} -b 1M -e 1M", ranks));
        EXPECT_EQ(simulated.code, 0) << simulated.errors;
    }
}

TEST(TopologyCommand, SweepsAndTrainingsArePricedByIt) {
    const Place place;
    ASSERT_EQ(place.run(2, "topology --out here.toml").code, 0);
    EXPECT_EQ(collectives::read_cluster(place.path("here.toml")).ranks_per_node, 2);
    const auto priced = place.run(
        1, "train --dry-run --model nano --plan dp=2 --global-batch 4 --cluster here.toml");
    EXPECT_EQ(priced.code, 0) << priced.errors;
    const auto sweep = place.run(
        2, "collectives --algorithm ring -b 1K -e 1K -n 8 --cluster here.toml --json c.json");
    EXPECT_EQ(sweep.code, 0) << sweep.errors;
    EXPECT_GT(single(results::read_record(place.path("c.json")), "collectives", "predicted_s"),
              0.0);
}

TEST(TopologyCommand, SymmetricNodesGiveZero) {
    const Place place;
    const PlantedCluster cluster(place, 3);
    const auto outcome = place.run(3, planted + "--json t.json");
    EXPECT_EQ(outcome.code, 0) << outcome.output << outcome.errors;
    EXPECT_TRUE(holds(outcome.output, "No asymmetries")) << outcome.output;
    EXPECT_TRUE(holds(outcome.output, "nodes 0-2 (cn00, cn01, cn02): 2 x Planted 9000, 4 cores"))
        << outcome.output;
    EXPECT_TRUE(results::rows_of<AsymmetryRow>(place.record()).empty());
    EXPECT_EQ(results::rows_of<DeviceRow>(place.record()).size(), 15u);
    EXPECT_EQ(place.record().configuration.at("root"), "trees/{node}");
}

TEST(TopologyCommand, WhatWasReadFromFilesIsBundledAsDescribedNotAsMeasured) {
    const Place place;
    const PlantedCluster cluster(place, 1);
    const auto bundled =
        place.run_line(fmt::format("( mpiexec -n 1 {0} {1} --json t.json && {0} bundle t.json "
                                   "--out b.zip && {0} verify b.zip && grep -a '| records' b.zip )",
                                   shardstone_binary(), planted));
    EXPECT_EQ(bundled.code, 0) << bundled.output << bundled.errors;
    for (const char* words :
         {"described  records/t.described.h5", "1 record (1 described)", "| **described** |",
          "machines described by files below trees/{node} |"}) {
        EXPECT_TRUE(holds(bundled.output, words)) << words << "\n" << bundled.output;
    }
}

TEST(TopologyCommand, EmptyFoldersAreNoMachine) {
    const Place place;
    std::filesystem::create_directories(place.path("image/proc"));
    std::filesystem::create_directories(place.path("image/sys"));
    const auto refused = place.run_line(shardstone_binary() + " topology --root image");
    EXPECT_EQ(refused.code, 2) << refused.output;
    EXPECT_TRUE(refused.is_one_line_about("it lacks proc/cpuinfo")) << refused.errors;
}

TEST(TopologyCommand, AsymmetriesComeFirstAndGiveOne) {
    const Place place;
    const PlantedCluster cluster(place, 3);
    cluster.node(2).write(planted_nic1 + std::string("current_link_width"), "8\n");
    cluster.node(0).write("sys/class/dmi/id/bios_version", "1.1\n");
    const auto outcome = place.run(3, planted + "--out here.toml --json t.json");
    EXPECT_EQ(outcome.code, 1) << outcome.errors;
    const auto bends = outcome.output.find(
        "Asymmetries that bend measurements: 1\n"
        "  node 2 (cn02): nic PCIe: mlx5_1/1: x8, can do x16");
    const auto notes =
        outcome.output.find("Notes: 1\n  node 0 (cn00): firmware BIOS: 1.1, usually 2.7");
    EXPECT_LT(bends, notes) << outcome.output;
    EXPECT_LT(notes, outcome.output.find("gpu0")) << outcome.output;
    EXPECT_TRUE(holds(outcome.output, "see: lspci -vv"));
    const auto rows = results::rows_of<AsymmetryRow>(place.record());
    ASSERT_EQ(rows.size(), 2u);
    EXPECT_EQ(rows[0].node, 2.0);
    EXPECT_EQ(rows[0].bends, 1.0);
    EXPECT_TRUE(place.record().verified()) << "it is a result, and a report shows it";
    const auto described = collectives::read_cluster(place.path("here.toml"));
    EXPECT_EQ(described.nics->bandwidth_gb_s, 50.0);
    EXPECT_EQ(described.ranks_per_node, 2) << "one per GPU";
    const auto report = place.run(1, "report t.json --out r.html");
    EXPECT_TRUE(holds(report.output,
                      "Asymmetric: 1 difference would bend measurements; the first: "
                      "node 2 (cn02): nic PCIe: mlx5_1/1: x8, can do x16."))
        << report.output << report.errors;
}

/// Node and subject of each.
std::vector<std::string> in_short(const std::vector<AsymmetryRow>& rows) {
    std::vector<std::string> all;
    for (const auto& row : rows) {
        all.push_back(fmt::format("{} {} {} {}", row.node, row.subject, row.found, row.bends));
    }
    return all;
}

TEST(TopologyCommand, AsymmetriesFollowFromTheFactsInTheRecord) {
    const Place place;
    const PlantedCluster cluster(place, 3);
    cluster.node(1).write(planted_nic1 + std::string("current_link_width"), "8\n");
    cluster.node(2).write("proc/meminfo", "MemTotal: 1000 kB\n");
    cluster.node(2).write("sys/class/infiniband/mlx5_1/ports/1/counters/link_downed", "20\n");
    EXPECT_EQ(place.run(3, planted + "--json t.json --hdf5 t.h5").code, 1);
    for (const char* file : {"t.json", "t.h5"}) {
        const auto record = results::read_record(place.path(file));
        const results::Inventory found{results::rows_of<results::FactRow>(record),
                                       results::rows_of<DeviceRow>(record),
                                       results::rows_of<results::DeviceLinkRow>(record)};
        const auto rows = in_short(results::rows_of<AsymmetryRow>(record));
        EXPECT_EQ(rows.size(), 3u);
        EXPECT_EQ(rows, in_short(find_asymmetries(found, {"cn00", "cn01", "cn02"})));
        const auto again = results::recompute(record);
        EXPECT_GT(again.figures, 50u);
        for (const auto& wrong : again.wrong) ADD_FAILURE() << in_words(wrong);
    }
}

TEST(TopologyCommand, NotesAloneGiveZero) {
    const Place place;
    const PlantedCluster cluster(place, 3);
    cluster.node(1).write("sys/class/dmi/id/bios_version", "1.1\n");
    const auto outcome = place.run(3, planted);
    EXPECT_EQ(outcome.code, 0) << outcome.output;
    EXPECT_TRUE(holds(outcome.output, "node 1 (cn01): firmware BIOS: 1.1, usually 2.7"));
}

TEST(TopologyCommand, VariablesAndPreloadedLibrariesOfOneNode) {
    const Place place;
    const std::string command = shardstone_binary() + " topology --ranks-per-node 1 --json t.json";
    const auto outcome = place.run_line(
        fmt::format("mpiexec -n 2 {0} : -n 1 -env UCX_PLANTED rc -env LD_PRELOAD {1} {0}", command,
                    std::getenv("SHARDSTONE_FAKE_NVML")));
    EXPECT_EQ(outcome.code, 1) << outcome.output << outcome.errors;
    const auto rows = results::rows_of<AsymmetryRow>(place.record());
    ASSERT_EQ(rows.size(), 3u) << outcome.output;
    for (const auto& row : rows) EXPECT_EQ(row.node, 2.0);
    EXPECT_EQ(rows[0].subject, "libfake_nvml");
    EXPECT_EQ(rows[0].usual, "not loaded");
    EXPECT_EQ(rows[1].subject, "LD_PRELOAD");
    EXPECT_EQ(rows[2].subject, "UCX_PLANTED");
    EXPECT_EQ(rows[2].found, "rc");
}

TEST(TopologyCommand, GpusThatNvmlDescribes) {
    const Place place;
    const PlantedCluster cluster(place, 2);
    const std::string fake = std::getenv("SHARDSTONE_FAKE_NVML");
    const auto outcome = place.run(2, planted + "--json t.json --out here.toml --nvml " + fake);
    // A link of the first GPU is down on both nodes: as they were built, so it is only noted.
    EXPECT_EQ(outcome.code, 0) << outcome.output << outcome.errors;
    EXPECT_TRUE(holds(outcome.output, "all nodes: gpu NVLinks: gpu0: 1 down, can do 18"))
        << outcome.output;
    const auto devices = results::rows_of<DeviceRow>(place.record());
    EXPECT_EQ(devices.at(0).model, "NVIDIA H100 80GB HBM3");
    EXPECT_EQ(devices.at(0).links, 17.0);
    EXPECT_EQ(devices.at(0).power_limit_w, 700.0);
    EXPECT_NEAR(collectives::read_cluster(place.path("here.toml")).reduction.rate_gb_s,
                3352.0 / 3.0, 1.0);
    const auto without = place.run(2, planted + "--json t.json --force");
    EXPECT_EQ(without.code, 0) << without.errors;
    EXPECT_EQ(results::rows_of<DeviceRow>(place.record()).at(0).model, "10de:2330");
}

TEST(TopologyCommand, DescribeRanksActs) {
    const Place place;
    ASSERT_EQ(place.run(2, "topology --describe-ranks 8 --out here.toml").code, 0);
    EXPECT_EQ(collectives::read_cluster(place.path("here.toml")).ranks_per_node, 8);
    EXPECT_EQ(collectives::read_cluster(place.path("here.toml")).nodes, 1);
}

}  // namespace
}  // namespace shardstone::validation
