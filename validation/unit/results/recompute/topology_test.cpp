// SPDX-License-Identifier: BSD-3-Clause
// Asymmetries of a record follow from its facts: where one of both was altered, the other tells.
#include <gtest/gtest.h>

#include <algorithm>

#include "kernels/base/error.hpp"
#include "results/inventory/asymmetries.hpp"
#include "results/inventory/nodes.hpp"
#include "results/recompute/recompute.hpp"
#include "validation/unit/results/report_rows.hpp"

namespace shardstone::validation {
namespace {

using namespace results;

constexpr int nodes = 4;

/// Alike, but for the governor of node 1.
Record written_topology() {
    Inventory all;
    std::vector<std::string> hosts;
    for (int node = 0; node < nodes; ++node) {
        Inventory one;
        one.facts = {number_fact("memory", "memory_bytes", 8589934592.0),
                     number_fact("processor", "cores", 16.0),
                     text_fact("clock", "governor", node == 1 ? "powersave" : "performance")};
        add_node(node, std::move(one), all);
        hosts.push_back("cn" + std::to_string(node));
    }
    const auto asymmetries = find_asymmetries(all, hosts);
    std::vector<NodeRow> rows;
    for (int node = 0; node < nodes; ++node) {
        rows.push_back(node_in_short(all, asymmetries, node));
        rows.back().host = hosts[static_cast<std::size_t>(node)];
        rows.back().ranks = std::to_string(node);
    }
    Record record = written_record("topology", "cn0", nodes);
    record.samples = {table_of(all.facts), table_of(all.devices), table_of(all.links)};
    record.derived = {table_of(asymmetries), table_of(rows)};
    return record;
}

std::vector<double>& numbers_of_facts(Record& record, const std::string& column) {
    return std::ranges::find(record.samples[0].columns, column, &Table::Column::name)->numbers;
}

bool names(const Record& record, const std::string& words) {
    return std::ranges::any_of(recompute(record).wrong, [&](const Mismatch& one) {
        return in_words(one).find(words) != std::string::npos;
    });
}

TEST(RecomputeTopology, WhatFollowsFromItsFactsIsGood) {
    const Recomputed found = recompute(written_topology());
    EXPECT_TRUE(found.wrong.empty());
    EXPECT_GT(found.figures, 20u);
}

/// There are three of each node; the first is its memory.
TEST(RecomputeTopology, AnAlteredFactIsFound) {
    Record record = written_topology();
    numbers_of_facts(record, "number")[6] /= 2.0;
    EXPECT_TRUE(names(record, "table asymmetries, row 0 (all), rows: 1, but its samples give 2"));
    EXPECT_TRUE(names(record,
                      "table nodes, row 2 (number 3), memory_bytes: 8589934592, but its "
                      "samples give 4294967296"));
}

TEST(RecomputeTopology, AnAlteredFindingIsFound) {
    Record record = written_topology();
    numbers_of(record, "asymmetries", "bends")[0] = 0.0;
    EXPECT_TRUE(names(record,
                      "table asymmetries, row 0 (number 1), bends: 0, but its samples "
                      "give 1"));
    record = written_topology();
    record.derived.erase(record.derived.begin());
    EXPECT_TRUE(names(record, "table asymmetries, row 0 (all), rows: 0, but its samples give 1"));
    record = written_topology();
    numbers_of(record, "nodes", "cores")[0] = 64.0;
    EXPECT_TRUE(names(record, "table nodes, row 0 (number 1), cores: 64, but its samples give 16"));
}

TEST(RecomputeTopology, WhatNoClusterHasIsFound) {
    Record record = written_topology();
    numbers_of_facts(record, "node")[3] = 99.0;
    EXPECT_TRUE(names(record,
                      "table facts, row 3 (number 4), node: 99, but it must be a whole "
                      "number from 0 to below 4"));
    record = written_topology();
    record.samples[0].columns[1].texts[0] = "weather";
    EXPECT_THROW(recompute(record), Error);
}

}  // namespace
}  // namespace shardstone::validation
