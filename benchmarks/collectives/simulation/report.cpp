// SPDX-License-Identifier: BSD-3-Clause
#include "benchmarks/collectives/simulation/report.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "kernels/base/units.hpp"

namespace shardstone::benchmarks {

namespace {

using collectives::LinkClass;
using results::Table;

constexpr std::array classes{LinkClass::intra_node, LinkClass::inter_node, LinkClass::uplink};

std::string traffic_columns(const SimulatedPoint& point, LinkClass link_class) {
    const auto& traffic = point.simulated.of(link_class);
    if (traffic.bytes == 0.0) return fmt::format(" | {:>9} {:>7} {:>5}", "-", "-", "-");
    return fmt::format(" | {:>9.3g} {:>7.3g} {:>4.0f}%", traffic.bytes,
                       point.simulated.rate_gb_s(link_class),
                       100.0 * traffic.busy_s / point.simulated.time_s);
}

template <class Figure>
Table::Column column(const std::vector<SimulatedPoint>& points, std::string name, Figure&& figure) {
    Table::Column result{std::move(name), {}, {}};
    for (const SimulatedPoint& point : points) {
        result.numbers.push_back(static_cast<double>(figure(point)));
    }
    return result;
}

void add_traffic(const std::vector<SimulatedPoint>& points, LinkClass link_class, Table& table) {
    const auto name = [&](const char* figure) {
        return fmt::format("{}_{}", name_of(link_class), figure);
    };
    using P = const SimulatedPoint&;
    const auto of = [=](P p) { return p.simulated.of(link_class); };
    table.columns.push_back(column(points, name("bytes"), [=](P p) { return of(p).bytes; }));
    table.columns.push_back(
        column(points, name("busiest_link_bytes"), [=](P p) { return of(p).busiest_bytes; }));
    table.columns.push_back(column(points, name("busiest_link_gb_s"),
                                   [=](P p) { return p.simulated.rate_gb_s(link_class); }));
    table.columns.push_back(
        column(points, name("capacity_gb_s"), [=](P p) { return of(p).capacity_gb_s; }));
    table.columns.push_back(column(points, name("busy_s"), [=](P p) { return of(p).busy_s; }));
}

}  // namespace

std::string simulation_heading(const SimulationPlan& plan) {
    std::string text = fmt::format(
        "# PREDICTED, not measured: {} {} simulated on cluster {} ({} nodes of {} ranks)\n"
        "# the description is {}: {}\n",
        plan.operation, to_string(plan.type), plan.cluster.name, plan.cluster.nodes,
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
        "simulation", fmt::format("{} simulated on {}", plan.operation, plan.cluster.name),
        command_line);
    record.configuration = {{"simulated", true},
                            {"cluster_file", options.cluster_path},
                            {"cluster", to_toml(plan.cluster)},
                            {"op", options.op},
                            {"algorithms", plan.algorithms},
                            {"ranks", plan.ranks},
                            {"sizes_bytes", plan.sizes_bytes},
                            {"type", options.type}};
    return record;
}

void complete_record(const std::vector<SimulatedPoint>& points, results::Record& record) {
    using P = const SimulatedPoint&;
    Table::Column algorithm{"algorithm", {}, {}};
    for (P point : points) algorithm.texts.push_back(point.algorithm);
    Table table{"simulated",
                {algorithm, column(points, "ranks", [](P p) { return p.ranks; }),
                 column(points, "size_bytes", [](P p) { return p.size_bytes; }),
                 column(points, "predicted_s", [](P p) { return p.simulated.time_s; }),
                 column(points, "predicted_algbw_gb_s", [](P p) { return p.algbw_gb_s(); }),
                 column(points, "predicted_busbw_gb_s", [](P p) { return p.busbw_gb_s(); }),
                 column(points, "messages", [](P p) { return p.simulated.messages; })}};
    for (const LinkClass link_class : classes) add_traffic(points, link_class, table);
    record.derived.push_back(table);
}

}  // namespace shardstone::benchmarks
