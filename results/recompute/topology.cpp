// SPDX-License-Identifier: BSD-3-Clause
// Asymmetries and nodes in short again from the facts and devices that were found.
#include "results/schema/topology.hpp"

#include <algorithm>
#include <array>

#include "results/inventory/asymmetries.hpp"
#include "results/inventory/nodes.hpp"
#include "results/recompute/comparer.hpp"
#include "results/recompute/possible.hpp"

namespace shardstone::results {

namespace {

Inventory inventory_in(const Record& record) {
    return {rows_of<FactRow>(record), rows_of<DeviceRow>(record), rows_of<DeviceLinkRow>(record)};
}

/// By the ranks that ran on them, nodes are counted from 0.
std::size_t nodes_in(const Inventory& all) {
    double last = -1.0;
    for (const FactRow& fact : all.facts) last = std::max(last, fact.node);
    return static_cast<std::size_t>(last + 1.0);
}

/// Host names and ranks are told by nothing else.
std::vector<NodeRow> nodes_again(const Inventory& all, const std::vector<AsymmetryRow>& asymmetries,
                                 const std::vector<NodeRow>& recorded) {
    std::vector<NodeRow> nodes;
    for (std::size_t node = 0; node < nodes_in(all); ++node) {
        NodeRow& row =
            nodes.emplace_back(node_in_short(all, asymmetries, static_cast<double>(node)));
        if (node >= recorded.size()) continue;
        row.host = recorded[node].host;
        row.ranks = recorded[node].ranks;
    }
    return nodes;
}

/// Without the sentences of the program that explain them.
Table found_in(const std::vector<AsymmetryRow>& asymmetries) {
    Table table = table_of(asymmetries);
    std::erase_if(table.columns, [](const Table::Column& column) {
        return column.name == "why" || column.name == "command";
    });
    return table;
}

}  // namespace

void compare_topology(const Record& record, Recomputed& found) {
    const bool is_topology = record.kind == "topology" ||
                             record.has_table(NodeRow::schema.name()) ||
                             record.has_table(AsymmetryRow::schema.name());
    if (!is_topology) return;
    const auto recorded = rows_of<NodeRow>(record);
    const auto count = static_cast<double>(recorded.size());
    const std::array columns{indices("facts", "node", count), indices("devices", "node", count),
                             indices("device_links", "node", count)};
    if (!are_possible(record, columns, found)) return;
    const Inventory all = inventory_in(record);
    std::vector<std::string> hosts;
    for (const NodeRow& node : recorded) hosts.push_back(node.host);
    const auto asymmetries = find_asymmetries(all, hosts);
    compare_tables(record, table_of(nodes_again(all, asymmetries, recorded)), found);
    compare_tables(record, found_in(asymmetries), found);
}

}  // namespace shardstone::results
