// SPDX-License-Identifier: BSD-3-Clause
// The rows that describe nodes in short, from all that was found on them.
#include "results/inventory/nodes.hpp"

#include <algorithm>
#include <map>

namespace shardstone::results {

namespace {

/// A fact's number or text of one node.
class FactsOfNode {
  public:
    FactsOfNode(const Inventory& all, double node) {
        for (const FactRow& fact : all.facts) {
            if (fact.node == node) facts_[fact.subject] = &fact;
        }
    }
    double number(const std::string& subject) const {
        const auto found = facts_.find(subject);
        return found == facts_.end() ? not_measured : found->second->number;
    }
    std::string text(const std::string& subject) const {
        const auto found = facts_.find(subject);
        return found == facts_.end() ? "" : found->second->text;
    }

  private:
    std::map<std::string, const FactRow*> facts_;
};

}  // namespace

NodeRow node_in_short(const Inventory& all, std::span<const AsymmetryRow> asymmetries,
                      double node) {
    const FactsOfNode facts(all, node);
    const auto devices = [&](const char* kind) {
        return static_cast<double>(std::ranges::count_if(
            all.devices, [&](const auto& one) { return one.node == node && one.kind == kind; }));
    };
    NodeRow row;
    row.node = node;
    row.cpu = facts.text("model");
    row.packages = facts.number("packages");
    row.cores = facts.number("cores");
    row.hardware_threads = facts.number("hardware threads");
    row.numa_nodes = facts.number("NUMA nodes");
    row.memory_bytes = facts.number("memory_bytes");
    row.gpus = devices("gpu");
    row.nics = devices("nic");
    row.asymmetries =
        static_cast<double>(std::ranges::count(asymmetries, node, &AsymmetryRow::node));
    return row;
}

}  // namespace shardstone::results
