// SPDX-License-Identifier: BSD-3-Clause
// Nodes and their asymmetries as sentences, each once for all nodes that share it.
#include "results/schema/topology_in_words.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "kernels/base/units.hpp"

namespace shardstone::results {

namespace {

/// "node 3 (cn04)", "nodes 0-3 (vm)", "nodes 0-3, 7 (cn01, cn02, cn03 ...)".
std::string where_in_words(const std::vector<int>& nodes, std::vector<std::string> hosts) {
    constexpr std::size_t named = 3;
    if (nodes.size() == 1) return fmt::format("node {} ({})", nodes.front(), hosts.front());
    hosts.erase(std::unique(hosts.begin(), hosts.end()), hosts.end());
    const bool all = hosts.size() <= named;
    if (!all) hosts.resize(named);
    return fmt::format("nodes {} ({}{})", ranges_in_words(nodes), fmt::join(hosts, ", "),
                       all ? "" : " ...");
}

/// The groups of rows with equal keys, with the nodes of each.
template <class Group, class Row, class Key>
std::vector<Group> groups_by(const std::vector<Row>& rows, Key&& key) {
    std::vector<Group> groups;
    std::vector<std::pair<std::vector<int>, std::vector<std::string>>> members;
    std::map<decltype(key(rows.front())), std::size_t> place;
    for (const Row& row : rows) {
        const auto [found, is_new] = place.try_emplace(key(row), groups.size());
        if (is_new) {
            groups.push_back({row, "all nodes"});
            members.emplace_back();
        }
        if (!std::isfinite(row.node)) continue;
        members[found->second].first.push_back(static_cast<int>(row.node));
        members[found->second].second.push_back(row.host);
    }
    for (std::size_t i = 0; i < groups.size(); ++i) {
        const auto& [nodes, hosts] = members[i];
        if (!nodes.empty()) groups[i].where = where_in_words(nodes, hosts);
    }
    return groups;
}

}  // namespace

std::string ranges_in_words(const std::vector<int>& numbers) {
    std::string text;
    for (std::size_t first = 0; first < numbers.size(); ++first) {
        std::size_t last = first;
        while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1) ++last;
        text += fmt::format("{}{}", text.empty() ? "" : ", ", numbers[first]);
        if (last > first) text += fmt::format("-{}", numbers[last]);
        first = last;
    }
    return text;
}

std::vector<AsymmetryGroup> grouped(const std::vector<AsymmetryRow>& rows) {
    return groups_by<AsymmetryGroup>(rows, [](const AsymmetryRow& row) {
        return std::tuple(row.kind, row.subject, row.found, row.usual, row.bends,
                          std::isfinite(row.node));
    });
}

std::string in_words(const AsymmetryRow& row) {
    const std::string subject = row.subject == "memory_bytes" ? "memory" : row.subject;
    const std::string kind = row.kind == subject ? "" : row.kind + " ";
    if (row.usual.empty()) return fmt::format("{}{}: {}", kind, subject, row.found);
    const bool is_limit = row.usual.starts_with("can do ") || row.usual.starts_with("one ");
    const char* relation = is_limit ? "" : row.decided > 0.0 ? "usually " : "elsewhere ";
    return fmt::format("{}{}: {}, {}{}", kind, subject, row.found, relation, row.usual);
}

std::vector<NodeGroup> grouped(const std::vector<NodeRow>& rows) {
    return groups_by<NodeGroup>(rows, [](NodeRow row) {
        row.memory_bytes = not_measured;  // differs by a little; asymmetries tell where by more
        return in_words(row);
    });
}

std::string in_words(const NodeRow& row) {
    const auto counted = [](double count, const char* one) {
        return fmt::format(", {:g} {}{}", count, one, count == 1.0 ? "" : "s");
    };
    std::string text = fmt::format("{:g} x {}", row.packages, row.cpu);
    text += counted(row.cores, "core") + counted(row.numa_nodes, "NUMA node");
    if (std::isfinite(row.memory_bytes)) {
        text += ", " + format_size(static_cast<std::int64_t>(row.memory_bytes)) + " of memory";
    }
    return text + counted(row.gpus, "GPU") + counted(row.nics, "network port");
}

}  // namespace shardstone::results
