// SPDX-License-Identifier: BSD-3-Clause
// Plants the files by which the kernel would show a server with two GPUs and three adapters.
#include "validation/unit/results/planted_machine.hpp"

#include <fmt/format.h>

#include <fstream>
#include <utility>

namespace shardstone::validation {

namespace {

namespace fs = std::filesystem;

constexpr int cores = 4;

}  // namespace

PlantedMachine::PlantedMachine(fs::path root, const std::string& host) : root_(std::move(root)) {
    fs::remove_all(root_);
    plant_processors(host);
    const std::string first = "pci0000:10/0000:10:01.0/0000:11:00.0/";
    const std::string second = "pci0000:90/0000:90:01.0/0000:91:00.0/";
    const std::string gpu = "0x030200 0x10de 0x2330", adapter = "0x020700 0x15b3 0x1021";
    plant_device(first + "0000:12:00.0/0000:13:00.0", gpu, 0);
    plant_device(second + "0000:92:00.0/0000:93:00.0", gpu, 1);
    plant_device(first + "0000:12:01.0/0000:14:00.0", adapter, 0);
    plant_device(second + "0000:92:01.0/0000:94:00.0", adapter, 1);
    plant_device("pci0000:10/0000:10:02.0/0000:15:00.0", "0x020000 0x8086 0x1521", 0);
    plant_adapter("mlx5_0", "0000:14:00.0");
    plant_adapter("mlx5_1", "0000:94:00.0");
    const std::string eth0 = "sys/class/net/eth0/";
    write(eth0 + "operstate", "up\n");
    write(eth0 + "speed", "1000\n");
    write(eth0 + "mtu", "1500\n");
    fs::create_symlink("../../../bus/pci/devices/0000:15:00.0", root_ / (eth0 + "device"));
    write("sys/devices/system/edac/mc/mc0/ce_count", "0\n");
    write("sys/devices/system/edac/mc/mc0/ue_count", "0\n");
}

PlantedMachine::~PlantedMachine() {
    std::error_code ignored;
    fs::remove_all(root_, ignored);
}

void PlantedMachine::write(const std::string& file, const std::string& text) const {
    const fs::path path = root_ / file;
    fs::create_directories(path.parent_path());
    std::ofstream(path) << text;
}

void PlantedMachine::remove(const std::string& file) const {
    fs::remove_all(root_ / file);
}

void PlantedMachine::plant_processors(const std::string& host) const {
    std::string cpuinfo;
    for (int core = 0; core < cores; ++core) {
        const int package = core / 2;
        const std::string folder = fmt::format("sys/devices/system/cpu/cpu{}/", core);
        const auto mask = [&](int bits) { return fmt::format("{:x}\n", bits); };
        write(folder + "topology/core_id", fmt::format("{}\n", core % 2));
        write(folder + "topology/physical_package_id", fmt::format("{}\n", package));
        write(folder + "topology/thread_siblings", mask(1 << core));
        write(folder + "topology/core_siblings", mask(3 << (2 * package)));
        write(folder + "cpufreq/scaling_governor", "performance\n");
        write(folder + "cpufreq/scaling_max_freq", "3700000\n");
        cpuinfo += fmt::format(
            "processor\t: {}\nmodel name\t: Planted 9000\nmicrocode\t: 0xa101148\n\n", core);
    }
    write("proc/cpuinfo", cpuinfo);
    write("proc/meminfo", "MemTotal:       268435456 kB\nMemAvailable:   260000000 kB\n");
    write("proc/sys/kernel/hostname", host + "\n");
    write("proc/sys/kernel/osrelease", "6.1.0-planted\n");
    write("proc/sys/kernel/numa_balancing", "0\n");
    write("sys/devices/system/cpu/online", "0-3\n");
    write("sys/devices/system/cpu/possible", "0-3\n");
    write("sys/devices/system/cpu/cpufreq/boost", "1\n");
    write("sys/devices/system/cpu/smt/control", "off\n");
    write("sys/devices/system/node/online", "0-1\n");
    for (int node = 0; node < 2; ++node) {
        const std::string folder = fmt::format("sys/devices/system/node/node{}/", node);
        write(folder + "cpumap", fmt::format("{:x}\n", 3 << (2 * node)));
        write(folder + "meminfo", fmt::format("Node {} MemTotal:       134217728 kB\n", node));
    }
    write("sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n");
    write("sys/class/dmi/id/bios_version", "2.7\n");
    write("sys/class/dmi/id/product_name", "Planted Server\n");
}

/// `path` from the root complex on; `ids`: class, vendor and device.
void PlantedMachine::plant_device(const std::string& path, const std::string& ids,
                                  int numa_node) const {
    const std::string folder = "sys/devices/" + path + "/";
    write(folder + "class", ids.substr(0, 8) + "\n");
    write(folder + "vendor", ids.substr(9, 6) + "\n");
    write(folder + "device", ids.substr(16) + "\n");
    write(folder + "numa_node", fmt::format("{}\n", numa_node));
    write(folder + "current_link_width", "16\n");
    write(folder + "max_link_width", "16\n");
    write(folder + "current_link_speed", "32.0 GT/s PCIe\n");
    write(folder + "max_link_speed", "32.0 GT/s PCIe\n");
    const fs::path devices = root_ / "sys/bus/pci/devices";
    fs::create_directories(devices);
    fs::create_symlink("../../../devices/" + path, devices / fs::path(path).filename());
}

void PlantedMachine::plant_adapter(const std::string& name, const std::string& pci) const {
    const std::string folder = "sys/class/infiniband/" + name + "/";
    write(folder + "ports/1/state", "4: ACTIVE\n");
    write(folder + "ports/1/rate", "400 Gb/sec (4X NDR)\n");
    write(folder + "ports/1/link_layer", "InfiniBand\n");
    write(folder + "ports/1/counters/symbol_error", "0\n");
    write(folder + "ports/1/hw_counters/out_of_sequence", "12345\n");
    write(folder + "fw_ver", "28.39.1002\n");
    write(folder + "hca_type", "MT4129\n");
    fs::create_symlink("../../../bus/pci/devices/" + pci, root_ / (folder + "device"));
    // Its interface is no adapter of its own.
    const std::string interface = fmt::format("sys/class/net/ib{}/", name.back());
    write(interface + "operstate", "up\n");
    write(interface + "mtu", "2044\n");
    fs::create_symlink("../../../bus/pci/devices/" + pci, root_ / (interface + "device"));
}

}  // namespace shardstone::validation
