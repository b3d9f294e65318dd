// SPDX-License-Identifier: BSD-3-Clause
// One node's facts, devices and links, put together, sent as text and joined with other nodes'.
#include "results/inventory/inventory.hpp"

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <utility>

#include "kernels/base/error.hpp"
#include "results/format/json_tables.hpp"
#include "results/inventory/gpus.hpp"
#include "results/inventory/nics.hpp"

namespace shardstone::results {

namespace {

using nlohmann::json;

template <class Row>
std::vector<Row> rows_in(const std::vector<Table>& tables) {
    const auto found = std::ranges::find(tables, Row::schema.name(), &Table::name);
    require(found != tables.end(),
            [] { return "a node sent no table of its " + Row::schema.name(); });
    return Row::schema.rows(*found, format_version);
}

template <class Row>
void append(double node, std::vector<Row>& from, std::vector<Row>& to) {
    for (Row& row : from) row.node = node;
    std::ranges::move(from, std::back_inserter(to));
}

}  // namespace

Inventory take_inventory(const InventorySource& source) {
    const auto pci = read_pci_devices(source.files);
    const NvmlReading nvml = source.nvml.empty() ? NvmlReading{} : read_nvml(source.nvml);
    const auto gpus = read_gpus(source.files, pci, nvml);
    const auto nics = read_nics(source.files, pci);
    Inventory inventory{host_facts(source.files), gpus, links_between(gpus, nics, pci)};
    std::ranges::copy(nics, std::back_inserter(inventory.devices));
    std::ranges::move(counter_facts(source.files, nvml.gpus), std::back_inserter(inventory.facts));
    if (!source.nvml.empty()) {
        const std::string& answer = nvml.why_none.empty() ? nvml.driver : nvml.why_none;
        inventory.facts.push_back(text_fact("software", "NVML", answer));
    }
    return inventory;
}

std::string to_text(const Inventory& inventory) {
    const std::vector<Table> tables{table_of(inventory.facts), table_of(inventory.devices),
                                    table_of(inventory.links)};
    return json{{"tables", to_json(tables, false)}}.dump();
}

Inventory inventory_from_text(const std::string& text) {
    const auto tables = tables_from_json(json::parse(text), "tables", "a node's inventory");
    return {rows_in<FactRow>(tables), rows_in<DeviceRow>(tables), rows_in<DeviceLinkRow>(tables)};
}

void add_node(double node, Inventory one, Inventory& all) {
    append(node, one.facts, all.facts);
    append(node, one.devices, all.devices);
    append(node, one.links, all.links);
}

}  // namespace shardstone::results
