// SPDX-License-Identifier: BSD-3-Clause
// Simulated points as lines on the screen and tables of a record, with traffic by link class.
#include "benchmarks/collectives/simulation/report.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "benchmarks/collectives/simulation/checks.hpp"
#include "kernels/base/units.hpp"
#include "results/schema/collectives.hpp"

namespace shardstone::benchmarks {

namespace {

using collectives::LinkClass;

constexpr std::array classes{LinkClass::intra_node, LinkClass::inter_node, LinkClass::uplink};

std::string traffic_columns(const SimulatedPoint& point, LinkClass link_class) {
    const auto& traffic = point.simulated.of(link_class);
    if (traffic.bytes == 0.0) return fmt::format(" | {:>9} {:>7} {:>5}", "-", "-", "-");
    return fmt::format(" | {:>9.3g} {:>7.3g} {:>4.0f}%", traffic.bytes,
                       point.simulated.rate_gb_s(link_class),
                       100.0 * traffic.busy_s / point.simulated.time_s);
}

results::SimulatedRow row_of(const SimulatedPoint& point) {
    results::SimulatedRow row;
    row.algorithm = point.algorithm;
    row.ranks = point.ranks;
    row.size_bytes = static_cast<double>(point.size_bytes);
    row.predicted_s = point.simulated.time_s;
    row.predicted_algbw_gb_s = point.algbw_gb_s();
    row.predicted_busbw_gb_s = point.busbw_gb_s();
    row.messages = static_cast<double>(point.simulated.messages);
    return row;
}

results::SimulatedTrafficRow traffic_row_of(const SimulatedPoint& point, LinkClass link_class) {
    const auto& traffic = point.simulated.of(link_class);
    results::SimulatedTrafficRow row;
    row.algorithm = point.algorithm;
    row.ranks = point.ranks;
    row.size_bytes = static_cast<double>(point.size_bytes);
    row.link_class = name_of(link_class);
    row.bytes = traffic.bytes;
    row.busiest_link_bytes = traffic.busiest_bytes;
    row.busiest_link_gb_s = point.simulated.rate_gb_s(link_class);
    row.capacity_gb_s = traffic.capacity_gb_s;
    row.busy_s = traffic.busy_s;
    return row;
}

}  // namespace

std::string simulation_heading(const SimulationPlan& plan) {
    std::string text = fmt::format(
        "# PREDICTED, not measured: {} {} simulated on cluster {} ({} nodes of {} ranks)\n"
        "# the description is {}: {}\n",
        plan.operation->name, to_string(plan.type), plan.cluster.name, plan.cluster.nodes,
        plan.cluster.ranks_per_node, plan.cluster.measured ? "measured" : "not measured",
        plan.cluster.source);
    text += fmt::format("{:>7} {:>9} {:<40} {:>9} {:>8} {:>8}", "ranks", "size", "algorithm",
                        "predicted", "algbw", "busbw");
    for (const LinkClass link_class : classes) {
        text += fmt::format(" | {:>9} {:>7} {:>5}", name_of(link_class), "busiest", "busy");
    }
    text +=
        fmt::format("\n{:>7} {:>9} {:<40} {:>9} {:>8} {:>8}", "", "", "", "time", "GB/s", "GB/s");
    for (std::size_t i = 0; i < classes.size(); ++i) {
        text += fmt::format(" | {:>9} {:>7} {:>5}", "bytes", "GB/s", "");
    }
    return text + '\n';
}

std::string simulation_rows(const SimulatedGroup& group) {
    const auto time_s = [](const SimulatedPoint& point) { return point.simulated.time_s; };
    const double fastest_s = time_s(*std::ranges::min_element(group, {}, time_s));
    std::string text;
    for (const SimulatedPoint& point : group) {
        const bool marked = group.size() > 1 && time_s(point) == fastest_s;
        text += fmt::format("{:>7} {:>9} {:<40} {:>9} {:>8.3g} {:>8.3g}", point.ranks,
                            format_size(point.size_bytes), point.algorithm + (marked ? " *" : ""),
                            format_time(time_s(point)), point.algbw_gb_s(), point.busbw_gb_s());
        for (const LinkClass link_class : classes) text += traffic_columns(point, link_class);
        text += '\n';
    }
    return text;
}

results::Record begin_record(const SimulationOptions& options, const SimulationPlan& plan,
                             const std::vector<std::string>& command_line) {
    results::Record record = results::new_record(
        "simulation", fmt::format("{} simulated on {}", plan.operation->name, plan.cluster.name),
        command_line);
    record.configuration = {{"simulated", true},
                            {"cluster_file", options.cluster_path},
                            {"cluster", to_toml(plan.cluster)},
                            {"op", options.op},
                            {"algorithms", names_of(plan.algorithms)},
                            {"ranks", plan.ranks},
                            {"sizes_bytes", plan.sizes_bytes},
                            {"type", options.type}};
    return record;
}

void complete_record(const SimulationPlan& plan, const std::vector<SimulatedPoint>& points,
                     results::Record& record) {
    std::vector<results::SimulatedRow> rows;
    std::vector<results::SimulatedTrafficRow> traffic;
    for (const SimulatedPoint& point : points) {
        rows.push_back(row_of(point));
        for (const LinkClass link_class : classes) {
            traffic.push_back(traffic_row_of(point, link_class));
        }
    }
    record.derived = {results::table_of(rows), results::table_of(traffic)};
    record.verification = simulation_checks(plan, points);
}

}  // namespace shardstone::benchmarks
