// SPDX-License-Identifier: BSD-3-Clause
// The nodes that differ from most others, in the order in which people should look at them.
#include "results/inventory/asymmetries.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <tuple>

#include "results/inventory/properties.hpp"
#include "results/inventory/rules.hpp"

namespace shardstone::results {

namespace {

using Rows = std::vector<AsymmetryRow>;

void add_odd_nodes(const Property& property, Rows& rows) {
    const Rule& rule = rule_for(property.kind, property.subject);
    const Usual usual = usual_of(property.values, rule.tolerance);
    const Value& expected = property.values[usual.node];
    for (std::size_t node = 0; node < property.values.size(); ++node) {
        if (alike(property.values[node], expected, rule.tolerance)) continue;
        rows.push_back(asymmetry(static_cast<double>(node), property.kind, property.subject,
                                 in_words(property, property.values[node]),
                                 in_words(property, expected)));
        rows.back().decided = usual.decided ? 1.0 : 0.0;
    }
}

bool comes_before(const AsymmetryRow& one, const AsymmetryRow& other) {
    const auto place = [](const AsymmetryRow& row) {
        const double node = std::isfinite(row.node) ? row.node : -1.0;
        return std::tuple(-row.bends, order_of_kind(row.kind), row.subject, node);
    };
    return place(one) < place(other);
}

}  // namespace

AsymmetryRow asymmetry(double node, const std::string& kind, const std::string& subject,
                       const std::string& found, const std::string& usual) {
    const Rule& rule = rule_for(kind, subject);
    AsymmetryRow row;
    row.node = node;
    row.kind = kind;
    row.subject = subject;
    row.found = found;
    row.usual = usual;
    row.decided = 1.0;
    row.bends = rule.bends ? 1.0 : 0.0;
    row.why = rule.why;
    row.command = command_of(rule, subject);
    return row;
}

Rows find_asymmetries(const Inventory& all, const std::vector<std::string>& hosts) {
    const int nodes = static_cast<int>(hosts.size());
    Rows rows;
    for (const Property& property : properties_of(all, nodes)) add_odd_nodes(property, rows);
    std::ranges::move(odd_counters(all, nodes), std::back_inserter(rows));
    std::ranges::move(devices_below_their_limits(all, nodes), std::back_inserter(rows));
    for (AsymmetryRow& row : rows) {
        row.host =
            std::isfinite(row.node) ? hosts[static_cast<std::size_t>(row.node)] : "all nodes";
    }
    std::ranges::stable_sort(rows, comes_before);
    return rows;
}

}  // namespace shardstone::results
