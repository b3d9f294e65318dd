// SPDX-License-Identifier: BSD-3-Clause
// Ports of network adapters with their nominal rates, as /sys/class/infiniband and net show them.
#include "results/inventory/nics.hpp"

#include <algorithm>
#include <cmath>
#include <system_error>

#include "results/record/kernel_files.hpp"

namespace shardstone::results {

namespace {

namespace fs = std::filesystem;

template <class Action>
void for_each_in(const fs::path& folder, Action&& action) {
    std::error_code ignored;
    for (fs::directory_iterator entry(folder, ignored), end; entry != end;
         entry.increment(ignored)) {
        action(entry->path(), entry->path().filename().string());
        if (ignored) return;
    }
}

DeviceRow row_of(const std::string& name, const fs::path& folder,
                 const std::vector<PciDevice>& pci) {
    DeviceRow row;
    row.kind = "nic";
    row.name = name;
    const auto address = pci_address_of(folder / "device");
    if (!address) return row;
    row.address = *address;
    if (const PciDevice* device = find_pci_device(pci, *address)) {
        add_pci(*device, row);
        row.model = device->ids();
    }
    return row;
}

/// A rate below 0 is one that the driver does not know.
double rate_gb_s(std::optional<double> rate, double per_giga) {
    constexpr double bits_per_byte = 8.0;
    return rate && *rate > 0.0 ? *rate / per_giga / bits_per_byte : not_measured;
}

/// "4: ACTIVE", "400 Gb/sec (4X NDR)".
DeviceRow infiniband_port(const fs::path& device, const fs::path& port, const std::string& name,
                          const std::vector<PciDevice>& pci) {
    DeviceRow row = row_of(name, device, pci);
    const std::string state = line_of_file(port / "state").value_or("");
    row.state = state.find("ACTIVE") != std::string::npos ? "up" : "down";
    const bool is_ethernet =
        line_of_file(port / "link_layer") == std::optional<std::string>("Ethernet");
    row.protocol = is_ethernet ? "RoCE" : "InfiniBand";
    row.rate_gb_s = rate_gb_s(number_of_file(port / "rate"), 1.0);
    row.model = line_of_file(device / "hca_type").value_or(row.model);
    row.firmware = line_of_file(device / "fw_ver").value_or("");
    return row;
}

DeviceRow interface(const fs::path& folder, const std::string& name,
                    const std::vector<PciDevice>& pci) {
    constexpr double mega_per_giga = 1e3;
    DeviceRow row = row_of(name, folder, pci);
    row.state =
        line_of_file(folder / "operstate") == std::optional<std::string>("up") ? "up" : "down";
    row.rate_gb_s = rate_gb_s(number_of_file(folder / "speed"), mega_per_giga);
    row.mtu_bytes = number_of_file(folder / "mtu").value_or(not_measured);
    return row;
}

/// Bridges have their ports' traffic again.
bool is_virtual_link(const fs::path& folder, const std::string& name) {
    std::error_code ignored;
    return name != "lo" && !fs::exists(folder / "bridge", ignored);
}

void add_interfaces(const HostFiles& files, const std::vector<PciDevice>& pci,
                    std::vector<DeviceRow>& nics) {
    std::vector<DeviceRow> virtual_ones;
    for_each_in(files.sys / "class/net", [&](const fs::path& folder, const std::string& name) {
        std::error_code ignored;
        DeviceRow row = interface(folder, name, pci);
        if (!fs::exists(folder / "device", ignored)) {
            row.protocol = "virtual";
            if (is_virtual_link(folder, name) && row.state == "up") virtual_ones.push_back(row);
            return;
        }
        row.protocol = "Ethernet";
        const auto same = [&](const DeviceRow& one) {
            return !row.address.empty() && one.address == row.address;
        };
        const auto adapter = std::ranges::find_if(nics, same);
        if (adapter == nics.end()) {
            nics.push_back(row);
        } else if (std::isnan(adapter->mtu_bytes)) {
            adapter->mtu_bytes = row.mtu_bytes;  // its own interface, counted already
        }
    });
    if (nics.empty()) nics = virtual_ones;
}

}  // namespace

std::vector<DeviceRow> read_nics(const HostFiles& files, const std::vector<PciDevice>& pci) {
    std::vector<DeviceRow> nics;
    const fs::path infiniband = files.sys / "class/infiniband";
    for_each_in(infiniband, [&](const fs::path& device, const std::string& name) {
        for_each_in(device / "ports", [&](const fs::path& port, const std::string& number) {
            nics.push_back(infiniband_port(device, port, name + "/" + number, pci));
        });
    });
    std::ranges::sort(nics, {}, &DeviceRow::name);  // the first port gets the interface's MTU
    add_interfaces(files, pci, nics);
    std::ranges::sort(nics, {}, &DeviceRow::name);
    return nics;
}

int count_fastest_nics(const HostFiles& files) {
    double fastest_gb_s = 0.0;
    int count = 0;
    for (const DeviceRow& nic : read_nics(files, read_pci_devices(files))) {
        if (nic.state != "up" || !(nic.rate_gb_s >= fastest_gb_s)) continue;
        count = nic.rate_gb_s > fastest_gb_s ? 1 : count + 1;
        fastest_gb_s = nic.rate_gb_s;
    }
    return count;
}

}  // namespace shardstone::results
