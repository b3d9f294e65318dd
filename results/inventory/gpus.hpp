// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "results/inventory/nvml.hpp"
#include "results/inventory/pci.hpp"

namespace shardstone::results {

/// The GPUs of this node, gpu0, gpu1, ... by address: those on PCIe (display controllers of NVIDIA
/// and AMD, and what calls itself an accelerator), with what NVML knows of them; those that only
/// NVML shows, too. Local.
std::vector<DeviceRow> read_gpus(const HostFiles& files, const std::vector<PciDevice>& pci,
                                 const NvmlReading& nvml);

/// The ways from every GPU to the GPUs behind it and to the ports of adapters on PCIe. Pure.
std::vector<DeviceLinkRow> links_between(const std::vector<DeviceRow>& gpus,
                                         const std::vector<DeviceRow>& nics,
                                         const std::vector<PciDevice>& pci);

}  // namespace shardstone::results
