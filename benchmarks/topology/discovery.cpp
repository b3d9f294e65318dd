// SPDX-License-Identifier: BSD-3-Clause
// Each node is described by its lowest rank; rank 0 joins the descriptions and compares them.
#include "benchmarks/topology/discovery.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "collectives/cluster/process.hpp"
#include "results/inventory/asymmetries.hpp"
#include "results/inventory/nodes.hpp"
#include "results/record/binding.hpp"
#include "results/record/kernel_files.hpp"
#include "results/schema/topology_in_words.hpp"

namespace shardstone::benchmarks {

namespace {

using nlohmann::json;
using results::FactRow;

/// What one rank has of its own.
json own_properties() {
    const auto cpus = results::numbers_in_list(results::usable_cpus());
    return {{"variables", results::chosen_variables_of_process()}, {"cpus", cpus.size()}};
}

results::Inventory own_node(const results::InventorySource& source) {
    results::Inventory node = results::take_inventory(source);
    node.facts.push_back(results::text_fact("software", "MPI", collectives::mpi_library()));
    for (const auto& [name, file] : results::libraries_of_process()) {
        node.facts.push_back(results::text_fact("library", name, file));
    }
    return node;
}

/// "4", or "4 | 8 | ..." by lane where the ranks of a node differ.
std::string over_lanes(const std::vector<std::string>& values) {
    const bool same =
        std::ranges::all_of(values, [&](const auto& v) { return v == values.front(); });
    return same ? values.front() : fmt::format("{}", fmt::join(values, " | "));
}

/// Of the ranks of a node, in the order of lanes.
std::vector<FactRow> facts_of_ranks(const std::vector<json>& ranks) {
    std::vector<FactRow> facts{
        results::number_fact("ranks", "ranks", static_cast<double>(ranks.size()))};
    std::vector<std::string> cpus;
    std::map<std::string, std::vector<std::string>> variables;
    for (std::size_t lane = 0; lane < ranks.size(); ++lane) {
        cpus.push_back(std::to_string(ranks[lane].at("cpus").get<std::size_t>()));
        for (const auto& [name, value] : ranks[lane].at("variables").items()) {
            auto& of_lanes = variables[name];
            of_lanes.resize(ranks.size(), "not set");
            of_lanes[lane] = value.get<std::string>();
        }
    }
    facts.push_back(results::text_fact("ranks", "hardware threads of a rank", over_lanes(cpus)));
    for (const auto& [name, values] : variables) {
        facts.push_back(results::text_fact("variable", name, over_lanes(values)));
    }
    return facts;
}

/// The host name of another machine whose files are looked at; MPI's of this one.
std::string host_of(const results::InventorySource& source) {
    const std::string here = collectives::node_name();
    if (source.files.proc == results::HostFiles{}.proc) return here;
    return results::line_of_file(source.files.proc / "sys/kernel/hostname").value_or(here);
}

}  // namespace

int Discovery::bending() const {
    return static_cast<int>(
        std::ranges::count_if(asymmetries, [](const auto& row) { return row.bends > 0.0; }));
}

Discovery discover(const collectives::Communicator& world, const results::InventorySource& source) {
    const auto& topology = world.topology();
    const bool speaks = topology.lane_of(world.rank()) == 0;
    const auto texts =
        world.gather(world.agree([&] { return speaks ? to_text(own_node(source)) : ""; }));
    const auto of_ranks = world.gather(own_properties().dump());
    const auto hosts_of_ranks = world.gather(host_of(source));
    Discovery all;
    if (!world.is_root()) return all;
    std::vector<std::string> hosts;
    for (int node = 0; node < topology.nodes(); ++node) {
        const auto first = static_cast<std::size_t>(topology.ranks_on(node).front());
        std::vector<json> ranks;
        for (const int rank : topology.ranks_on(node)) {
            ranks.push_back(json::parse(of_ranks[static_cast<std::size_t>(rank)]));
        }
        results::Inventory one = results::inventory_from_text(texts[first]);
        std::ranges::move(facts_of_ranks(ranks), std::back_inserter(one.facts));
        add_node(node, std::move(one), all.found);
        hosts.push_back(hosts_of_ranks[first]);
    }
    all.asymmetries = results::find_asymmetries(all.found, hosts);
    for (int node = 0; node < topology.nodes(); ++node) {
        auto& row = all.nodes.emplace_back(node_in_short(all.found, all.asymmetries, node));
        row.host = hosts[static_cast<std::size_t>(node)];
        const auto ranks = topology.ranks_on(node);
        row.ranks = results::ranges_in_words({ranks.begin(), ranks.end()});
    }
    return all;
}

}  // namespace shardstone::benchmarks
