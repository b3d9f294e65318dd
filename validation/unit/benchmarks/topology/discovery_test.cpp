// SPDX-License-Identifier: BSD-3-Clause
// One rank is a planted node each: whatever is changed on one of them is named there, and only
// that.
#include "benchmarks/topology/discovery.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <functional>

#include "validation/unit/mpi_test_main.hpp"
#include "validation/unit/results/planted_machine.hpp"

namespace shardstone::validation {
namespace {

using benchmarks::Discovery;

constexpr int odd_node = 1;

/// This rank's node; all ranks come out of it together.
class PlantedNode {
  public:
    PlantedNode()
        : machine_(std::filesystem::temp_directory_path() /
                       fmt::format("discovery-{}-{}", ::getpid(), world().rank()),
                   fmt::format("cn{:02}", world().rank())) {
        world().declare_topology(collectives::Topology::blocked(world().size(), 1));
    }
    bool is_odd() const { return world().rank() == odd_node; }
    const PlantedMachine& machine() const { return machine_; }
    Discovery discover() const { return benchmarks::discover(world(), {machine_.files(), ""}); }

  private:
    PlantedMachine machine_;
};

std::string in_words(const Discovery& discovery) {
    std::string text;
    for (const auto& row : discovery.asymmetries) {
        text += fmt::format("{} {} {}: {} instead of {}\n", row.node, row.kind, row.subject,
                            row.found, row.usual);
    }
    return text;
}

TEST(Discovery, AlikeNodesAreSymmetric) {
    const PlantedNode node;
    const Discovery found = node.discover();
    if (!world().is_root()) return;
    EXPECT_EQ(in_words(found), "");
    EXPECT_EQ(found.bending(), 0);
    ASSERT_EQ(found.nodes.size(), static_cast<std::size_t>(world().size()));
    for (int rank = 0; rank < world().size(); ++rank) {
        const auto& row = found.nodes[static_cast<std::size_t>(rank)];
        EXPECT_EQ(row.host, fmt::format("cn{:02}", rank));
        EXPECT_EQ(row.ranks, std::to_string(rank));
        EXPECT_EQ(row.cpu, "Planted 9000");
        EXPECT_EQ(row.cores, 4.0);
        EXPECT_EQ(row.numa_nodes, 2.0);
        EXPECT_EQ(row.memory_bytes, 0x1p38);
        EXPECT_EQ(row.gpus, 2.0);
        EXPECT_EQ(row.nics, 3.0);
    }
}

/// A file that one node has another text in.
struct Change {
    std::string file, text;
    std::string kind, subject, found;
    double bends;
};

std::vector<Change> changes_of_the_host() {
    const std::string cpu = "sys/devices/system/cpu/";
    return {
        {"proc/meminfo", "MemTotal: 201326592 kB\n", "memory", "memory_bytes", "192 GiB", 1},
        {"proc/cpuinfo", "model name\t: Planted 8000\nmicrocode\t: 0xa101148\n", "processor",
         "model", "Planted 8000", 1},
        {"proc/cpuinfo", "model name\t: Planted 9000\nmicrocode\t: 0x2\n", "firmware", "microcode",
         "0x2", 0},
        {cpu + "cpufreq/boost", "0\n", "clock", "boost", "0", 1},
        {cpu + "intel_pstate/no_turbo", "1\n", "clock", "no_turbo", "1", 1},
        {cpu + "cpu2/cpufreq/scaling_max_freq", "3000000\n", "clock", "highest clock in kHz",
         "3000000 on 1, 3700000 on 3", 1},
        {cpu + "cpu3/cpufreq/scaling_governor", "powersave\n", "clock", "governor",
         "performance on 3, powersave on 1", 1},
        {cpu + "smt/control", "on\n", "setting", "smt", "on", 1},
        {"sys/kernel/mm/transparent_hugepage/enabled", "[always] madvise never\n", "setting",
         "transparent_hugepage", "[always] madvise never", 1},
        {"proc/sys/kernel/osrelease", "6.5.0\n", "software", "kernel", "Linux 6.5.0", 1},
        {"sys/module/mlx5_core/version", "5.0\n", "software", "driver mlx5_core", "5.0", 1},
        {"proc/sys/kernel/numa_balancing", "1\n", "setting", "numa_balancing", "1", 1},
        {"sys/class/dmi/id/bios_version", "1.1\n", "firmware", "BIOS", "1.1", 0},
    };
}

std::vector<Change> changes_of_devices() {
    const std::string gpu0 = planted_gpu0, nic1 = planted_nic1;
    const std::string port0 = "sys/class/infiniband/mlx5_0/ports/1/";
    return {
        {port0 + "rate", "200 Gb/sec (4X HDR)\n", "nic", "ports",
         "Ethernet, 0.125 GB/s: eth0; InfiniBand, 25 GB/s: mlx5_0/1; InfiniBand, 50 GB/s: mlx5_1/1",
         1},
        {port0 + "state", "1: DOWN\n", "nic", "ports",
         "Ethernet, 0.125 GB/s: eth0; InfiniBand down: mlx5_0/1; InfiniBand, 50 GB/s: mlx5_1/1", 1},
        {"sys/class/infiniband/mlx5_1/fw_ver", "20.1\n", "nic", "firmware",
         "20.1: mlx5_1/1; 28.39.1002: mlx5_0/1", 0},
        {"sys/class/net/eth0/mtu", "9000\n", "nic", "MTU",
         "2044 B: mlx5_0/1, mlx5_1/1; 9000 B: eth0", 1},
        {nic1 + "current_link_width", "8\n", "nic", "PCIe", "mlx5_1/1: x8", 1},
        {nic1 + "current_link_speed", "16.0 GT/s PCIe\n", "nic", "PCIe", "mlx5_1/1: 16 GT/s", 1},
        {gpu0 + "current_link_width", "4\n", "gpu", "PCIe", "gpu0: x4", 1},
        {gpu0 + "device", "0x20b5\n", "gpu", "GPUs", "10de:20b5: gpu0; 10de:2330: gpu1", 1},
        {port0 + "counters/symbol_error", "77\n", "counter", "mlx5_0/1 symbol_error",
         "77 since boot", 1},
        {"sys/devices/system/edac/mc/mc0/ce_count", "5\n", "counter", "mc0 ce_count",
         "5 since boot", 0},
        {"sys/devices/system/edac/mc/mc0/ue_count", "1\n", "counter", "mc0 ue_count",
         "1 since boot", 1},
        {nic1 + "aer_dev_correctable", "RxErr 40\nTOTAL_ERR_COR 41\n", "counter",
         "0000:94:00.0 aer_dev_correctable", "41 since boot", 1},
    };
}

TEST(Discovery, EachChangeIsNamedOnItsNodeAndNoOther) {
    std::vector<Change> changes = changes_of_the_host();
    std::ranges::move(changes_of_devices(), std::back_inserter(changes));
    for (const Change& change : changes) {
        const PlantedNode node;
        if (node.is_odd()) node.machine().write(change.file, change.text);
        const Discovery found = node.discover();
        if (!world().is_root()) continue;
        ASSERT_EQ(found.asymmetries.size(), 1u) << change.file << "\n" << in_words(found);
        const auto& row = found.asymmetries.front();
        EXPECT_EQ(row.node, odd_node) << change.file;
        EXPECT_EQ(row.host, "cn01") << change.file;
        EXPECT_EQ(row.kind, change.kind) << change.file;
        EXPECT_EQ(row.subject, change.subject) << change.file;
        EXPECT_EQ(row.found, change.found) << change.file;
        EXPECT_EQ(row.bends, change.bends) << change.file;
        EXPECT_EQ(found.bending(), change.bends) << change.file;
        EXPECT_FALSE(row.why.empty() || row.command.empty()) << change.file;
        EXPECT_EQ(found.nodes[odd_node].asymmetries, 1.0);
        EXPECT_EQ(found.nodes[0].asymmetries, 0.0);
    }
}

TEST(Discovery, CoresAndGovernorsAreNamed) {
    const PlantedNode node;
    if (node.is_odd()) {
        node.machine().remove("sys/devices/system/cpu/cpu3");
        node.machine().write("sys/devices/system/cpu/online", "0-2\n");
        for (int core = 0; core < 3; ++core) {
            node.machine().write(
                fmt::format("sys/devices/system/cpu/cpu{}/cpufreq/scaling_governor", core),
                "powersave\n");
        }
    }
    const Discovery found = node.discover();
    if (!world().is_root()) return;
    EXPECT_EQ(in_words(found),
              "1 processor cores: 3 instead of 4\n"
              "1 processor hardware threads: 3 instead of 4\n"
              "1 clock governor: powersave instead of performance\n");
}

TEST(Discovery, VariablesOfOneNodeAreNamed) {
    const PlantedNode node;
    if (node.is_odd()) ::setenv("NCCL_PLANTED", "tree", 1);
    const Discovery found = node.discover();
    ::unsetenv("NCCL_PLANTED");
    if (!world().is_root()) return;
    EXPECT_EQ(in_words(found), "1 variable NCCL_PLANTED: tree instead of not set\n");
}

TEST(Discovery, VariablesByLaneAreAsymmetricOnlyBetweenNodes) {
    if (world().size() != 4) return;
    const PlantedNode node;
    world().declare_topology(collectives::Topology::blocked(4, 2));
    ::setenv("CUDA_VISIBLE_DEVICES", std::to_string(world().rank() % 2).c_str(), 1);
    const Discovery alike = node.discover();
    if (world().rank() == 3) ::setenv("CUDA_VISIBLE_DEVICES", "0", 1);
    const Discovery odd = node.discover();
    ::unsetenv("CUDA_VISIBLE_DEVICES");
    if (!world().is_root()) return;
    EXPECT_EQ(in_words(alike), "");
    EXPECT_EQ(in_words(odd), "1 variable CUDA_VISIBLE_DEVICES: 0 instead of 0 | 1\n");
    EXPECT_EQ(odd.nodes[1].ranks, "2-3");
}

TEST(Discovery, NodesWithMoreRanksAreNamed) {
    const PlantedNode node;
    std::vector<int> nodes;
    for (int rank = 0; rank < world().size(); ++rank) nodes.push_back(std::max(rank - 1, 0));
    world().declare_topology(collectives::Topology(nodes));
    const Discovery found = node.discover();
    if (!world().is_root()) return;
    ASSERT_FALSE(found.asymmetries.empty());
    EXPECT_EQ(found.asymmetries.front().subject, "ranks");
}

}  // namespace
}  // namespace shardstone::validation
