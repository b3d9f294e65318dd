// SPDX-License-Identifier: BSD-3-Clause
// Devices on PCIe: lanes and transfers in use and possible, and what lies between two of them.
#include "results/inventory/pci.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <regex>
#include <system_error>

#include "results/record/kernel_files.hpp"

namespace shardstone::results {

namespace {

namespace fs = std::filesystem;

bool is_address(const std::string& name) {
    static const std::regex form("[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\\.[0-7]");
    return std::regex_match(name, form);
}

/// "0x10de"; 0 where there is none.
std::uint32_t hexadecimal(const fs::path& path) {
    const std::string text = line_of_file(path).value_or("0");
    return static_cast<std::uint32_t>(std::strtoul(text.c_str(), nullptr, 16));
}

/// 0 and 255 lanes, and words such as "Unknown speed", are what virtual machines say.
double positive(const fs::path& path, double most) {
    const double value = number_of_file(path).value_or(0.0);
    return value > 0.0 && value < most ? value : not_measured;
}

std::vector<std::string> bridges_to(const fs::path& real_path) {
    std::vector<std::string> parts;
    for (const auto& part : real_path) {
        const std::string name = part.string();
        if (name.starts_with("pci") || is_address(name)) parts.push_back(name);
    }
    return parts;
}

PciDevice read_device(const fs::path& folder, const std::string& address) {
    std::error_code failed;
    const fs::path real_path = fs::canonical(folder, failed);
    PciDevice device{address, bridges_to(failed ? folder : real_path)};
    device.class_code = hexadecimal(folder / "class");
    device.vendor = hexadecimal(folder / "vendor");
    device.device = hexadecimal(folder / "device");
    constexpr double most_nodes = 1e4, no_width = 255.0, no_speed = 1e3;
    const double node = number_of_file(folder / "numa_node").value_or(-1.0);
    if (node >= 0.0 && node < most_nodes) device.numa_node = static_cast<int>(node);
    device.width = positive(folder / "current_link_width", no_width);
    device.most_width = positive(folder / "max_link_width", no_width);
    device.gt_s = positive(folder / "current_link_speed", no_speed);
    device.most_gt_s = positive(folder / "max_link_speed", no_speed);
    return device;
}

}  // namespace

std::string PciDevice::ids() const {
    return fmt::format("{:04x}:{:04x}", vendor, device);
}

std::vector<PciDevice> read_pci_devices(const HostFiles& files) {
    std::vector<PciDevice> devices;
    std::error_code ignored;
    const fs::path all = files.sys / "bus/pci/devices";
    for (fs::directory_iterator entry(all, ignored), end; entry != end; entry.increment(ignored)) {
        const std::string name = entry->path().filename().string();
        if (is_address(name)) devices.push_back(read_device(entry->path(), name));
        if (ignored) break;
    }
    std::ranges::sort(devices, {}, &PciDevice::address);
    return devices;
}

std::optional<std::string> pci_address_of(const fs::path& device) {
    std::error_code failed;
    const fs::path real_path = fs::canonical(device, failed);
    if (failed) return std::nullopt;
    std::optional<std::string> address;
    for (const auto& part : real_path) {
        if (is_address(part.string())) address = part.string();
    }
    return address;
}

const PciDevice* find_pci_device(const std::vector<PciDevice>& devices,
                                 const std::string& address) {
    const auto found = std::ranges::find(devices, address, &PciDevice::address);
    return found == devices.end() ? nullptr : &*found;
}

std::string path_between(const PciDevice& one, const PciDevice& other) {
    const auto [own, theirs] = std::ranges::mismatch(one.bridges, other.bridges);
    const auto shared = own - one.bridges.begin();
    if (shared == 0) {
        const bool same_node = one.numa_node >= 0 && one.numa_node == other.numa_node;
        return same_node ? "NODE" : "SYS";
    }
    if (shared == 1) return "PHB";  // only the root
    // Behind one switch each has its own port of it, and itself.
    constexpr std::ptrdiff_t port_and_device = 2;
    const bool one_switch = one.bridges.end() - own <= port_and_device &&
                            other.bridges.end() - theirs <= port_and_device;
    return one_switch ? "PIX" : "PXB";
}

double pcie_rate_gb_s(double gt_s, double width) {
    constexpr double second = 5.0, fifth = 32.0, bits_per_byte = 8.0;
    const double payload = gt_s <= second  ? 8.0 / 10.0
                           : gt_s <= fifth ? 128.0 / 130.0
                                           : 242.0 / 256.0;
    return gt_s * width * payload / bits_per_byte;
}

void add_pci(const PciDevice& device, DeviceRow& row) {
    row.address = device.address;
    if (device.numa_node >= 0) row.numa_node = device.numa_node;
    row.pcie_width = device.width;
    row.pcie_most_width = device.most_width;
    row.pcie_gt_s = device.gt_s;
    row.pcie_most_gt_s = device.most_gt_s;
}

}  // namespace shardstone::results
