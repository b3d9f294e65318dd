// SPDX-License-Identifier: BSD-3-Clause
// Compares each node's hardware health counters before and after a run and fails the run on faults.
#include "jobs/command/health.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "collectives/cluster/process.hpp"
#include "results/record/health.hpp"

namespace shardstone::command {

namespace {

using nlohmann::json;

/// Of its records the verdict says it: a fault of the cluster is their finding, and a failed check
/// would keep them out of reports.
constexpr const char* verdict_kind = "interconnect";

struct Health {
    results::HealthCounters before;  ///< on the first rank of each node
    json changes = json::array();    ///< on rank 0, of all nodes
    std::string failures;            ///< those that fail, in words
    bool failed = false;             ///< on all ranks
};

Health& health() {
    static Health of_this_run;
    return of_this_run;
}

bool speaks_for_node(const collectives::Communicator& world) {
    const auto& topology = world.found_topology();
    return topology.ranks_on(topology.node_of(world.rank())).front() == world.rank();
}

json changes_of_node() {
    json changes = json::array();
    for (const auto& change : results::health_changes(health().before, results::read_health())) {
        changes.push_back({{"node", collectives::node_name()},
                           {"counter", change.counter},
                           {"before", change.before},
                           {"after", change.after},
                           {"fails", change.fails}});
    }
    return changes;
}

}  // namespace

void begin_health(const collectives::Communicator& world) {
    health() = {};
    if (speaks_for_node(world)) health().before = results::read_health();
}

void end_health(const collectives::Communicator& world) {
    Health& own = health();
    own.changes = json::array();
    own.failures.clear();
    const std::string mine = speaks_for_node(world) ? changes_of_node().dump() : "";
    for (const auto& text : world.gather(mine)) {
        if (text.empty()) continue;
        for (const auto& change : json::parse(text)) own.changes.push_back(change);
    }
    own.failures = fmt::format("{}", fmt::join(failed_health_of_run(), "; "));
    own.failed = world.max(own.failures.empty() ? 0.0 : 1.0) > 0.0;
    if (!own.failures.empty()) {
        fmt::print(stderr, "shardstone: FAILED: the nodes' health ({})\n", own.failures);
    }
}

std::vector<std::string> failed_health_of_run() {
    return results::failed_health({{"health", health().changes}});
}

void add_health(results::Record& record) {
    const Health& own = health();
    for (const json& change : own.changes) record.environment["health"].push_back(change);
    if (!own.failures.empty() && record.kind != verdict_kind) {
        record.verification.push_back({"the nodes' health", false, own.failures});
    }
}

bool health_failed() {
    return health().failed;
}

}  // namespace shardstone::command
