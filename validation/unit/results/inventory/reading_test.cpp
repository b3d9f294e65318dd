// SPDX-License-Identifier: BSD-3-Clause
// What is read of a planted server: every value from its own file, in its own unit.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "results/inventory/asymmetries.hpp"
#include "results/inventory/gpus.hpp"
#include "results/inventory/inventory.hpp"
#include "results/inventory/nics.hpp"
#include "results/inventory/pci.hpp"
#include "validation/unit/results/planted_machine.hpp"
#include "validation/unit/results/shell.hpp"

namespace shardstone::validation {
namespace {

namespace fs = std::filesystem;
using results::DeviceRow;
using results::FactRow;
using results::Inventory;

fs::path own_folder() {
    return fs::temp_directory_path() / ("inventory-" + std::to_string(::getpid()));
}

Inventory inventory_of(const PlantedMachine& machine) {
    return results::take_inventory({machine.files(), ""});
}

/// Throws where there is none.
const DeviceRow& device(const Inventory& all, const std::string& name) {
    const auto found = std::ranges::find(all.devices, name, &DeviceRow::name);
    if (found == all.devices.end()) throw std::runtime_error("no device " + name);
    return *found;
}

/// Empty where there is none.
FactRow fact(const Inventory& all, const std::string& kind, const std::string& subject) {
    const auto found = std::ranges::find_if(
        all.facts, [&](const FactRow& one) { return one.kind == kind && one.subject == subject; });
    return found == all.facts.end() ? FactRow{} : *found;
}

std::string path(const Inventory& all, const std::string& from, const std::string& to) {
    for (const auto& link : all.links) {
        if (link.from == from && link.to == to) return link.path;
    }
    return "no such link";
}

TEST(Inventory, ProcessorsAndSettings) {
    const PlantedMachine machine(own_folder(), "cn07");
    machine.write("sys/devices/system/cpu/cpu3/cpufreq/scaling_governor", "powersave\n");
    machine.write("sys/module/mlx5_core/version", "24.10-0.7.0\n");
    const Inventory all = inventory_of(machine);
    EXPECT_EQ(fact(all, "processor", "model").text, "Planted 9000");
    EXPECT_EQ(fact(all, "processor", "packages").number, 2.0);
    EXPECT_EQ(fact(all, "processor", "cores").number, 4.0);
    EXPECT_EQ(fact(all, "processor", "hardware threads").number, 4.0);
    EXPECT_EQ(fact(all, "processor", "NUMA nodes").number, 2.0);
    EXPECT_EQ(fact(all, "memory", "memory_bytes").number, 0x1p38);  // 256 GiB
    EXPECT_EQ(fact(all, "clock", "governor").text, "performance on 3, powersave on 1");
    EXPECT_EQ(fact(all, "clock", "highest clock in kHz").text, "3700000");
    EXPECT_EQ(fact(all, "clock", "boost").text, "1");
    EXPECT_EQ(fact(all, "software", "kernel").text, "Linux 6.1.0-planted");
    EXPECT_EQ(fact(all, "software", "driver mlx5_core").text, "24.10-0.7.0");
    EXPECT_EQ(fact(all, "firmware", "BIOS").text, "2.7");
    EXPECT_EQ(fact(all, "firmware", "microcode").text, "0xa101148");
    EXPECT_EQ(fact(all, "setting", "transparent_hugepage").text, "always [madvise] never");
    EXPECT_EQ(fact(all, "setting", "smt").text, "off");
}

// Jobs use the fastest; eth0 of 1 Gb/s is for management.
TEST(Inventory, NicsOfJobsAreCounted) {
    const PlantedMachine machine(own_folder(), "cn07");
    EXPECT_EQ(results::count_fastest_nics(machine.files()), 2);
    machine.write("sys/class/infiniband/mlx5_1/ports/1/rate", "200 Gb/sec (4X HDR)\n");
    EXPECT_EQ(results::count_fastest_nics(machine.files()), 1);
    machine.write("sys/class/infiniband/mlx5_0/ports/1/rate", "200 Gb/sec (4X HDR)\n");
    machine.write("sys/class/infiniband/mlx5_0/ports/1/state", "1: DOWN\n");
    EXPECT_EQ(results::count_fastest_nics(machine.files()), 1);
    EXPECT_EQ(results::count_fastest_nics({"/nowhere", "/nowhere"}), 0);
}

TEST(Inventory, DevicesAndPaths) {
    const PlantedMachine machine(own_folder(), "cn07");
    machine.write(planted_nic1 + std::string("current_link_width"), "8\n");
    machine.write(planted_nic1 + std::string("current_link_speed"), "16.0 GT/s PCIe\n");
    machine.write("sys/class/infiniband/mlx5_1/ports/1/rate", "200 Gb/sec (4X HDR)\n");
    machine.write("sys/class/infiniband/mlx5_1/ports/1/link_layer", "Ethernet\n");
    machine.write("proc/driver/nvidia/gpus/0000:13:00.0/information",
                  "Model: \t\t NVIDIA H100 80GB HBM3\nIRQ: 4\n");
    const Inventory all = inventory_of(machine);
    ASSERT_EQ(all.devices.size(), 5u) << "2 GPUs, 2 ports, eth0: ib0 and ib1 are those ports again";
    EXPECT_EQ(device(all, "gpu0").address, "0000:13:00.0");
    EXPECT_EQ(device(all, "gpu0").model, "NVIDIA H100 80GB HBM3");
    EXPECT_EQ(device(all, "gpu1").model, "10de:2330");
    EXPECT_EQ(device(all, "gpu1").numa_node, 1.0);
    const DeviceRow& good = device(all, "mlx5_0/1");
    EXPECT_EQ(good.rate_gb_s, 50.0);
    EXPECT_EQ(good.protocol, "InfiniBand");
    EXPECT_EQ(good.model, "MT4129");
    EXPECT_EQ(good.firmware, "28.39.1002");
    EXPECT_EQ(good.mtu_bytes, 2044.0);
    const DeviceRow& odd = device(all, "mlx5_1/1");
    EXPECT_EQ(odd.rate_gb_s, 25.0);
    EXPECT_EQ(odd.protocol, "RoCE");
    EXPECT_EQ(odd.pcie_width, 8.0);
    EXPECT_EQ(odd.pcie_most_width, 16.0);
    EXPECT_EQ(odd.pcie_gt_s, 16.0);
    EXPECT_EQ(odd.pcie_most_gt_s, 32.0);
    EXPECT_EQ(device(all, "eth0").rate_gb_s, 0.125);
    EXPECT_EQ(device(all, "eth0").protocol, "Ethernet");
    EXPECT_EQ(path(all, "gpu0", "mlx5_0/1"), "PIX");
    EXPECT_EQ(path(all, "gpu0", "mlx5_1/1"), "SYS");
    EXPECT_EQ(path(all, "gpu0", "eth0"), "PHB");
    EXPECT_EQ(path(all, "gpu0", "gpu1"), "SYS");
    EXPECT_EQ(path(all, "gpu1", "gpu0"), "no such link");
}

TEST(Inventory, PortsThatAreDownAndWhatIsNotAnAdapter) {
    const PlantedMachine machine(own_folder(), "cn07");
    machine.write("sys/class/infiniband/mlx5_0/ports/1/state", "1: DOWN\n");
    machine.write("sys/class/net/eth0/operstate", "down\n");
    machine.write("sys/class/net/eth0/speed", "-1\n");
    machine.write("sys/class/net/veth7/operstate", "up\n");
    machine.write("sys/class/net/veth7/speed", "10000\n");
    Inventory all = inventory_of(machine);
    EXPECT_EQ(device(all, "mlx5_0/1").state, "down");
    EXPECT_EQ(device(all, "mlx5_1/1").state, "up");
    EXPECT_EQ(device(all, "eth0").state, "down");
    EXPECT_TRUE(std::isnan(device(all, "eth0").rate_gb_s));
    EXPECT_THROW(device(all, "veth7"), std::runtime_error) << "there are adapters";
    machine.remove("sys/class/infiniband");
    machine.remove("sys/class/net/eth0");
    machine.remove("sys/class/net/ib0");
    machine.remove("sys/class/net/ib1");
    machine.write("sys/class/net/br0/bridge/x", "");
    machine.write("sys/class/net/br0/operstate", "up\n");
    all = inventory_of(machine);
    EXPECT_EQ(device(all, "veth7").protocol, "virtual");
    EXPECT_EQ(device(all, "veth7").rate_gb_s, 1.25);
    EXPECT_THROW(device(all, "br0"), std::runtime_error);
}

TEST(Inventory, CountersOfErrorsThatAreNotZero) {
    const PlantedMachine machine(own_folder(), "cn07");
    EXPECT_TRUE(std::ranges::none_of(inventory_of(machine).facts, [](const auto& one) {
        return one.kind == "counter";
    })) << "out_of_sequence is not 0, but a healthy network counts it too";
    machine.write("sys/devices/system/edac/mc/mc0/ce_count", "17\n");
    machine.write("sys/class/infiniband/mlx5_0/ports/1/counters/symbol_error", "4321\n");
    machine.write("sys/class/net/eth0/statistics/rx_crc_errors", "9\n");
    machine.write(planted_gpu0 + std::string("aer_dev_nonfatal"),
                  "Undefined 0\nTOTAL_ERR_NONFATAL 2\n");
    const Inventory all = inventory_of(machine);
    EXPECT_EQ(fact(all, "counter", "mc0 ce_count").number, 17.0);
    EXPECT_EQ(fact(all, "counter", "mlx5_0/1 symbol_error").number, 4321.0);
    EXPECT_EQ(fact(all, "counter", "eth0 rx_crc_errors").number, 9.0);
    EXPECT_EQ(fact(all, "counter", "0000:13:00.0 aer_dev_nonfatal").number, 2.0);
}

/// What the command of a counter's asymmetry prints where /sys is the planted one.
std::string shown_by(const std::string& command, const PlantedMachine& machine) {
    const auto at = command.find(" /sys/");
    const std::string planted =
        command.substr(0, at + 1) + machine.root().string() + command.substr(at + 1);
    const TemporaryFolder folder;
    return run_shell(planted, folder).output;
}

TEST(Inventory, TheCommandOfACounterShowsIt) {
    const PlantedMachine machine(own_folder(), "cn07");
    machine.write("sys/devices/system/edac/mc/mc0/ue_count", "17\n");
    machine.write("sys/class/infiniband/mlx5_0/ports/1/counters/symbol_error", "4321\n");
    machine.write("sys/class/net/eth0/statistics/rx_crc_errors", "91\n");
    machine.write("sys/class/net/eth0/carrier_down_count", "33\n");
    machine.write("sys/devices/system/cpu/cpu2/thermal_throttle/core_throttle_count", "12\n");
    machine.write(planted_gpu0 + std::string("aer_dev_fatal"), "TOTAL_ERR_FATAL 2\n");
    int shown = 0;
    Inventory all;
    add_node(0, inventory_of(machine), all);
    for (const auto& row : results::odd_counters(all, 1)) {
        const std::string count = row.found.substr(0, row.found.find(' '));
        const std::string printed = shown_by(row.command, machine);
        EXPECT_NE(printed.find(count + "\n"), std::string::npos) << row.command << ": " << printed;
        ++shown;
    }
    EXPECT_EQ(shown, 6);
}

TEST(Inventory, GoesThroughTextUnchanged) {
    const PlantedMachine machine(own_folder(), "cn07");
    machine.write("sys/devices/system/edac/mc/mc0/ce_count", "17\n");
    const Inventory sent = inventory_of(machine);
    const Inventory received = results::inventory_from_text(to_text(sent));
    EXPECT_EQ(to_text(received), to_text(sent));
    EXPECT_EQ(fact(received, "counter", "mc0 ce_count").number, 17.0);
    EXPECT_EQ(device(received, "mlx5_0/1").rate_gb_s, 50.0);
    EXPECT_TRUE(std::isnan(device(received, "mlx5_0/1").memory_bytes));
}

TEST(Inventory, RatesOfPcie) {
    // PCI-SIG's figures for 16 lanes: 4.0, 15.75, 31.5, 63.0 GB/s; 121 GB/s of 6.0.
    EXPECT_NEAR(results::pcie_rate_gb_s(2.5, 16), 4.0, 1e-12);
    EXPECT_NEAR(results::pcie_rate_gb_s(8.0, 16), 15.75, 0.01);
    EXPECT_NEAR(results::pcie_rate_gb_s(16.0, 16), 31.5, 0.02);
    EXPECT_NEAR(results::pcie_rate_gb_s(32.0, 8), 31.5, 0.02);
    EXPECT_NEAR(results::pcie_rate_gb_s(64.0, 16), 121.0, 1e-9);
    EXPECT_TRUE(std::isnan(results::pcie_rate_gb_s(32.0, results::not_measured)));
}

TEST(Inventory, PathsInTheWordsOfNvidiaSmi) {
    const auto at = [](std::vector<std::string> bridges, int node) {
        results::PciDevice device;
        device.bridges = std::move(bridges);
        device.numa_node = node;
        return device;
    };
    const auto one = at({"pci0000:10", "10:01.0", "11:00.0", "12:00.0", "13:00.0"}, 0);
    const auto path_to = [&](const results::PciDevice& other) { return path_between(one, other); };
    EXPECT_EQ(path_to(at({"pci0000:10", "10:01.0", "11:00.0", "12:01.0", "14:00.0"}, 0)), "PIX");
    EXPECT_EQ(
        path_to(at({"pci0000:10", "10:01.0", "11:00.0", "12:01.0", "14:00.0", "15:00.0", "16:00.0"},
                   0)),
        "PXB");
    EXPECT_EQ(path_to(at({"pci0000:10", "10:02.0", "17:00.0"}, 0)), "PHB");
    EXPECT_EQ(path_to(at({"pci0000:40", "40:01.0", "41:00.0"}, 0)), "NODE");
    EXPECT_EQ(path_to(at({"pci0000:90", "90:01.0", "91:00.0"}, 1)), "SYS");
    EXPECT_EQ(path_to(at({"pci0000:90", "90:01.0", "91:00.0"}, -1)), "SYS");
}

TEST(Inventory, VariablesThatMatterAndNoSecrets) {
    ::setenv("UCX_PLANTED", "rc\tx", 1);
    ::setenv("NCCL_PLANTED_TOKEN", "do not tell", 1);
    ::setenv("PLANTED_UCX_", "of another", 1);
    ::setenv("MPICH_INTERFACE_HOSTNAME", "10.0.0.7", 1);
    const auto found = results::chosen_variables_of_process();
    for (const char* name :
         {"UCX_PLANTED", "NCCL_PLANTED_TOKEN", "PLANTED_UCX_", "MPICH_INTERFACE_HOSTNAME"}) {
        ::unsetenv(name);
    }
    EXPECT_EQ(found.at("UCX_PLANTED"), "rc\tx");
    EXPECT_FALSE(found.contains("NCCL_PLANTED_TOKEN"));
    EXPECT_FALSE(found.contains("PLANTED_UCX_"));
    EXPECT_FALSE(found.contains("MPICH_INTERFACE_HOSTNAME"));
}

TEST(Inventory, LibrariesHaveTheBuildThatTheLinkerGave) {
    const auto libraries = results::libraries_of_process();
    const std::string entry = libraries.at("libhwloc");
    ASSERT_TRUE(entry.starts_with("libhwloc.so.")) << entry;
    const auto id = entry.substr(entry.rfind(' ') + 1);
    EXPECT_EQ(id.size(), 16u) << entry;
    EXPECT_EQ(id.find_first_not_of("0123456789abcdef"), std::string::npos) << entry;
}

TEST(Links, AreAsFastAsTheirSlowerEnd) {
    DeviceRow gpu, nic;
    gpu.kind = "gpu";
    nic.kind = "nic";
    gpu.address = "a";
    nic.address = "b";
    gpu.pcie_most_gt_s = nic.pcie_most_gt_s = 32.0;
    gpu.pcie_width = 16.0;
    nic.pcie_width = 8.0;
    EXPECT_NEAR(results::links_between({gpu}, {nic}, {}).at(0).rate_gb_s, 31.5, 0.02);
}

}  // namespace
}  // namespace shardstone::validation
