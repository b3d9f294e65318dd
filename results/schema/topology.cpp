// SPDX-License-Identifier: BSD-3-Clause
// Columns of the tables of a cluster's nodes, devices and links, and of how its nodes differ.
#include "results/schema/topology.hpp"

namespace shardstone::results {

const TableSchema<AsymmetryRow> AsymmetryRow::schema{
    "asymmetries",
    Role::derived,
    "A property in which a node differs from most others, or a device below what it can do.",
    {{"node", "1", "Node; not a number for all nodes alike.", &Row::node, 3},
     {"host", "", "Its host name.", &Row::host, 3},
     {"kind", "", "Kind of the property, as in table facts, or gpu, nic.", &Row::kind, 3},
     {"subject", "", "The property.", &Row::subject, 3},
     {"found", "", "What this node has.", &Row::found, 3},
     {"usual", "", "What most others have, or what the device can do.", &Row::usual, 3},
     {"decided", "1", "1 if more than half of the nodes have the usual value, else 0.",
      &Row::decided, 3},
     {"bends", "1",
      "1 if it is of the kind that bends measurements (exit code 1), 0 if it is only a note.",
      &Row::bends, 3},
     {"why", "", "Why it matters.", &Row::why, 3},
     {"command", "", "Command that shows it on the node.", &Row::command, 3}}};

const TableSchema<NodeRow> NodeRow::schema{
    "nodes",
    Role::derived,
    "One node in short.",
    {{"node", "1", "Node, in the order of the lowest rank.", &Row::node, 3},
     {"host", "", "Its host name.", &Row::host, 3},
     {"ranks", "", "Ranks that run on it.", &Row::ranks, 3},
     {"cpu", "", "Model of its processors.", &Row::cpu, 3},
     {"packages", "1", "Processors.", &Row::packages, 3},
     {"cores", "1", "Physical cores.", &Row::cores, 3},
     {"hardware_threads", "1", "Hardware threads.", &Row::hardware_threads, 3},
     {"numa_nodes", "1", "NUMA nodes.", &Row::numa_nodes, 3},
     {"memory_bytes", "B", "Memory that the kernel manages.", &Row::memory_bytes, 3},
     {"gpus", "1", "GPUs.", &Row::gpus, 3},
     {"nics", "1", "Ports of network adapters.", &Row::nics, 3},
     {"asymmetries", "1", "Rows of this node in table asymmetries.", &Row::asymmetries, 3}}};

const TableSchema<DeviceRow> DeviceRow::schema{
    "devices",
    Role::samples,
    "One GPU, or one port of a network adapter.",
    {{"node", "1", "Node.", &Row::node, 3},
     {"kind", "", "gpu or nic.", &Row::kind, 3},
     {"name", "", "Name on the node: gpu0, eth0, mlx5_0/1.", &Row::name, 3},
     {"address", "", "Address on PCIe; empty for a virtual interface.", &Row::address, 3},
     {"model", "", "Model, or vendor and device as PCIe numbers them.", &Row::model, 3},
     {"numa_node", "1", "NUMA node that it is next to, where the kernel tells.", &Row::numa_node,
      3},
     {"state", "", "up or down, of a port.", &Row::state, 3},
     {"protocol", "", "InfiniBand, RoCE or Ethernet; virtual where there is no adapter.",
      &Row::protocol, 3},
     {"rate_gb_s", "GB/s", "Nominal rate of a port in one direction, not measured.",
      &Row::rate_gb_s, 3},
     {"mtu_bytes", "B", "Largest packet of a network interface.", &Row::mtu_bytes, 3},
     {"memory_bytes", "B", "Memory of a GPU.", &Row::memory_bytes, 3},
     {"memory_rate_gb_s", "GB/s", "Nominal rate of a GPU's memory: its highest clock times bits.",
      &Row::memory_rate_gb_s, 3},
     {"most_mhz", "MHz", "Highest clock of a GPU.", &Row::most_mhz, 3},
     {"power_limit_w", "W", "Limit of a GPU's power that is in force.", &Row::power_limit_w, 3},
     {"links", "1", "NVLinks that are up.", &Row::links, 3},
     {"links_down", "1", "NVLinks that are there and down.", &Row::links_down, 3},
     {"link_rate_gb_s", "GB/s",
      "Nominal rate of one NVLink in one direction, as its driver has it.", &Row::link_rate_gb_s,
      3},
     {"pcie_width", "1", "Lanes of PCIe in use.", &Row::pcie_width, 3},
     {"pcie_most_width", "1", "Lanes that the device has.", &Row::pcie_most_width, 3},
     {"pcie_gt_s", "GT/s", "Transfers per second and lane in use.", &Row::pcie_gt_s, 3},
     {"pcie_most_gt_s", "GT/s", "Transfers per second and lane that the device is capable of.",
      &Row::pcie_most_gt_s, 3},
     {"settings", "", "Settings of a GPU: ECC, MIG, persistence.", &Row::settings, 3},
     {"firmware", "", "Version of its firmware.", &Row::firmware, 3}}};

const TableSchema<DeviceLinkRow> DeviceLinkRow::schema{
    "device_links",
    Role::samples,
    "The way between two GPUs, or a GPU and a network adapter, of a node.",
    {{"node", "1", "Node.", &Row::node, 3},
     {"from", "", "GPU.", &Row::from, 3},
     {"to", "", "GPU, or port of a network adapter.", &Row::to, 3},
     {"to_kind", "", "gpu or nic.", &Row::to_kind, 3},
     {"path", "",
      "NVLink; else what is passed on PCIe: PIX one switch, PXB several, PHB the host bridge, NODE "
      "two host bridges of a NUMA node, SYS the link between processors.",
      &Row::path, 3},
     {"rate_gb_s", "GB/s",
      "Nominal rate in one direction: the sum of the NVLinks, or the slower of both on PCIe.",
      &Row::rate_gb_s, 3}}};

const TableSchema<FactRow> FactRow::schema{
    "facts",
    Role::samples,
    "One property of a node as found, by which nodes are compared.",
    {{"node", "1", "Node.", &Row::node, 3},
     {"kind", "",
      "ranks, processor, memory, clock, software, firmware, setting, variable, library, counter.",
      &Row::kind, 3},
     {"subject", "", "The property.", &Row::subject, 3},
     {"text", "", "Its value, where it is a text.", &Row::text, 3},
     {"number", "1", "Its value, where it is a number; of counters since the node was booted.",
      &Row::number, 3}}};

}  // namespace shardstone::results
