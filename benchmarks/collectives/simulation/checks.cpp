// SPDX-License-Identifier: BSD-3-Clause
// What makes a simulation believable: proved schedules, and links that carry every byte sent.
#include "benchmarks/collectives/simulation/checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "collectives/operation/algorithm.hpp"
#include "collectives/proof/checker.hpp"
#include "kernels/base/units.hpp"

namespace shardstone::benchmarks {

namespace {

using collectives::LinkClass;
using results::Check;

/// Uplinks carry what is counted between nodes already.
double bytes_on_links(const SimulatedPoint& point) {
    return point.simulated.of(LinkClass::intra_node).bytes +
           point.simulated.of(LinkClass::inter_node).bytes;
}

Check bytes_check(const SimulatedPoint& point) {
    constexpr double rounding = 1e-9;  // the engine adds parts of messages up
    const double sent = point.scheduled_bytes;
    const bool same =
        point.received_bytes == sent && std::abs(bytes_on_links(point) - sent) <= rounding * sent;
    return {fmt::format("{} on {} ranks, {}: the links carry what the schedule sends",
                        point.algorithm, point.ranks, format_size(point.size_bytes)),
            same,
            fmt::format("{:.0f} bytes sent, {:.0f} received, {:.0f} on the links", sent,
                        point.received_bytes, bytes_on_links(point))};
}

Check proof_of(const SimulationPlan& plan, const std::string& name, int ranks) {
    const auto algorithm = collectives::find_algorithm(*plan.operation, name);
    const auto topology = collectives::Topology::blocked(ranks, plan.cluster.ranks_per_node);
    const auto fault = collectives::check_schedule(collectives::make_schedule(algorithm, topology));
    return {
        fmt::format("{} {} on {} ranks: the schedule is proved", plan.operation->name, name, ranks),
        !fault, fault ? fault->what : "every block ends where and as the operation requires"};
}

}  // namespace

std::vector<Check> simulation_checks(const SimulationPlan& plan,
                                     const std::vector<SimulatedPoint>& points) {
    std::vector<Check> checks;
    std::set<std::pair<std::string, int>> proved;
    for (const SimulatedPoint& point : points) {
        const int ranks = std::min(point.ranks, most_proved_ranks);
        if (proved.emplace(point.algorithm, ranks).second) {
            checks.push_back(proof_of(plan, point.algorithm, ranks));
        }
        checks.push_back(bytes_check(point));
    }
    return checks;
}

}  // namespace shardstone::benchmarks
