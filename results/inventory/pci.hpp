// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "results/record/host_state.hpp"
#include "results/schema/topology.hpp"

namespace shardstone::results {

/// A function on PCIe as the kernel describes it.
struct PciDevice {
    std::string address;               ///< "0000:3b:00.0"
    std::vector<std::string> bridges;  ///< from the root, "pci0000:3a", to the device itself
    std::uint32_t class_code = 0;      ///< base class, subclass, interface: 0x030200
    std::uint32_t vendor = 0, device = 0;
    int numa_node = -1;  ///< -1 where the kernel does not tell
    double width = not_measured, most_width = not_measured;
    double gt_s = not_measured, most_gt_s = not_measured;

    /// "10de:2330"
    std::string ids() const;
};

/// All of them, by address. Local.
std::vector<PciDevice> read_pci_devices(const HostFiles& files);

/// The device at the end of a path such as that of /sys/class/net/eth0/device: the last address in
/// it. Nothing for what is not on PCIe.
std::optional<std::string> pci_address_of(const std::filesystem::path& device);

/// Null if there is none of that address.
const PciDevice* find_pci_device(const std::vector<PciDevice>& devices, const std::string& address);

/// What is passed between two devices, in the words of nvidia-smi: PIX, PXB, PHB, NODE or SYS.
/// Pure.
std::string path_between(const PciDevice& one, const PciDevice& other);

/// Nominal rate in one direction: transfers times lanes, less the encoding (8b/10b up to 5 GT/s,
/// 128b/130b up to 32 GT/s, 242 B of 256 B in a flit at 64 GT/s: PCI Express base specifications
/// 2 to 6). Not a number where either is not. Pure.
double pcie_rate_gb_s(double gt_s, double width);

/// Writes what is known of it into the row: address, NUMA node, lanes and their transfers.
void add_pci(const PciDevice& device, DeviceRow& row);

}  // namespace shardstone::results
