// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "results/inventory/pci.hpp"

namespace shardstone::results {

/// The ports of this node's network adapters, by name: those of InfiniBand and RoCE from
/// /sys/class/infiniband, those of Ethernet that are not the same adapter again from
/// /sys/class/net. Only where there is no adapter at all, virtual interfaces that are up. Local.
std::vector<DeviceRow> read_nics(const HostFiles& files, const std::vector<PciDevice>& pci);

/// How many of this node's ports are up and have the rate of the fastest of these: the NICs that
/// jobs use, without those for storage and management. 0 where none reports a rate. Local.
int count_fastest_nics(const HostFiles& files = {});

}  // namespace shardstone::results
