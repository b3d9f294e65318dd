// SPDX-License-Identifier: BSD-3-Clause
// GPUs on PCIe, with or without NVML, and the ways between them and to the network adapters.
#include "results/inventory/gpus.hpp"

#include <algorithm>
#include <cmath>

#include "results/record/kernel_files.hpp"

namespace shardstone::results {

namespace {

constexpr std::uint32_t nvidia = 0x10de, amd = 0x1002;

bool is_gpu(const PciDevice& device) {
    constexpr std::uint32_t display = 0x03, accelerator = 0x12;
    const std::uint32_t base_class = device.class_code >> 16;
    return base_class == accelerator ||
           (base_class == display && (device.vendor == nvidia || device.vendor == amd));
}

/// What NVIDIA's driver says of it without NVML: lines "Model: \t\t NVIDIA H100 80GB HBM3".
std::string model_by_driver(const HostFiles& files, const std::string& address) {
    const auto line =
        line_of_file(files.proc / "driver/nvidia/gpus" / address / "information").value_or("");
    const auto word = line.find_first_not_of(": \t", std::min(line.find(':'), line.size()));
    return line.starts_with("Model") && word != std::string::npos ? line.substr(word) : "";
}

DeviceRow row_of(const HostFiles& files, const PciDevice& device) {
    DeviceRow row;
    const std::string model = model_by_driver(files, device.address);
    row.model = model.empty() ? device.ids() : model;
    row.memory_bytes = number_of_file(files.sys / "bus/pci/devices" / device.address /
                                      "mem_info_vram_total")  // AMD's driver
                           .value_or(not_measured);
    return row;
}

/// NVLinks join all GPUs through switches, or to each other: which of them NVML tells per link, and
/// what all of a GPU's links amount to is what it gets either way.
double nvlink_gb_s(const DeviceRow& gpu) {
    return gpu.links > 0.0 ? gpu.links * gpu.link_rate_gb_s : 0.0;
}

double pcie_gb_s(const DeviceRow& one, const DeviceRow& other) {
    // What the link can do: a GPU's lanes slow down while it is idle, and NVML counts none then.
    const double own = pcie_rate_gb_s(one.pcie_most_gt_s, one.pcie_width);
    const double theirs = pcie_rate_gb_s(other.pcie_most_gt_s, other.pcie_width);
    return std::fmin(own, theirs);
}

DeviceLinkRow link_between(const DeviceRow& gpu, const DeviceRow& other,
                           const std::vector<PciDevice>& pci) {
    DeviceLinkRow link;
    link.from = gpu.name;
    link.to = other.name;
    link.to_kind = other.kind;
    const double nvlinks = std::min(nvlink_gb_s(gpu), nvlink_gb_s(other));
    if (nvlinks > 0.0 && other.kind == "gpu") {
        link.path = "NVLink";
        link.rate_gb_s = nvlinks;
        return link;
    }
    const PciDevice* one = find_pci_device(pci, gpu.address);
    const PciDevice* another = find_pci_device(pci, other.address);
    if (one != nullptr && another != nullptr) link.path = path_between(*one, *another);
    link.rate_gb_s = pcie_gb_s(gpu, other);
    return link;
}

}  // namespace

std::vector<DeviceRow> read_gpus(const HostFiles& files, const std::vector<PciDevice>& pci,
                                 const NvmlReading& nvml) {
    std::vector<DeviceRow> gpus;
    for (const NvmlGpu& gpu : nvml.gpus) gpus.push_back(gpu.row);
    for (const PciDevice& device : pci) {
        const bool known =
            std::ranges::find(gpus, device.address, &DeviceRow::address) != gpus.end();
        if (is_gpu(device) && !known) {
            gpus.push_back(row_of(files, device));
            gpus.back().address = device.address;
        }
    }
    std::ranges::sort(gpus, {}, &DeviceRow::address);
    int number = 0;
    for (DeviceRow& gpu : gpus) {
        gpu.kind = "gpu";
        gpu.name = "gpu" + std::to_string(number++);
        if (const PciDevice* device = find_pci_device(pci, gpu.address)) add_pci(*device, gpu);
    }
    return gpus;
}

std::vector<DeviceLinkRow> links_between(const std::vector<DeviceRow>& gpus,
                                         const std::vector<DeviceRow>& nics,
                                         const std::vector<PciDevice>& pci) {
    std::vector<DeviceLinkRow> links;
    for (auto gpu = gpus.begin(); gpu != gpus.end(); ++gpu) {
        for (auto other = gpu + 1; other != gpus.end(); ++other) {
            links.push_back(link_between(*gpu, *other, pci));
        }
        for (const DeviceRow& nic : nics) {
            if (!nic.address.empty()) links.push_back(link_between(*gpu, nic, pci));
        }
    }
    return links;
}

}  // namespace shardstone::results
