// SPDX-License-Identifier: BSD-3-Clause
// The sweep on the screen: columns of times, bandwidths and predictions, one row for each point.
#include "benchmarks/collectives/sweep/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "collectives/cluster/description.hpp"
#include "collectives/operation/operation.hpp"
#include "kernels/base/units.hpp"

namespace shardstone::benchmarks {

namespace {

/// A column: the two lines of its heading, and how wide it is.
struct Column {
    const char* name;
    const char* unit;
    int width;
};

/// From here on two are of predictions.
constexpr std::ptrdiff_t first_predicted = 8;
constexpr std::array columns{
    Column{"time", "median", 9},
    Column{"95 % interval", "of the median", 22},
    Column{"mean", "", 9},
    Column{"p95", "", 9},
    Column{"p99", "", 9},
    Column{"skew", "median", 9},
    Column{"algbw", "GB/s", 8},
    Column{"busbw", "GB/s", 8},
    Column{"predicted", "", 9},
    Column{"meas/", "pred", 6},
    Column{"sent/rank", "bytes", 12},
};
constexpr std::array link_columns{
    Column{"in node", "bytes", 12},
    Column{"", "GB/s", 8},
    Column{"between", "bytes", 12},
    Column{"", "GB/s", 8},
};

using Cells = std::vector<std::string>;

std::vector<Column> shown_columns(bool is_predicted, bool has_links) {
    std::vector<Column> shown(columns.begin(), columns.end());
    if (!is_predicted) {
        shown.erase(shown.begin() + first_predicted, shown.begin() + first_predicted + 2);
    }
    if (has_links) shown.insert(shown.end(), link_columns.begin(), link_columns.end());
    return shown;
}

std::string number_or_dash(double value, const char* pattern) {
    return std::isfinite(value) ? fmt::format(fmt::runtime(pattern), value) : "-";
}

std::string time_or_dash(double time_s) {
    return std::isnan(time_s) ? "-" : format_time(time_s);
}

std::string time_or_dash(const std::optional<double>& time_s) {
    return time_s ? format_time(*time_s) : "-";
}

std::string interval_text(const Measurement& measurement) {
    if (!measurement.interval_s) return "too few samples";
    return fmt::format("{} to {}", format_time(measurement.interval_s->low),
                       format_time(measurement.interval_s->high));
}

std::string check_text(const SweepPoint& point) {
    if (point.checked_runs == 0) return "no";
    return point.passed() ? "exact" : fmt::format("{} WRONG", point.wrong_elements);
}

Cells cells_of(const SweepPoint& point) {
    const Measurement& measured = point.measurement;
    return {format_time(measured.median_s),
            interval_text(measured),
            format_time(measured.mean_s),
            time_or_dash(point.percentile_s(0.95)),
            time_or_dash(point.percentile_s(0.99)),
            time_or_dash(measured.median_skew_s),
            number_or_dash(point.algbw_gb_s(), "{:.3g}"),
            fmt::format("{:.3g}", point.busbw_gb_s()),
            time_or_dash(point.predicted_s),
            number_or_dash(measured.median_s / point.predicted_s, "{:.2f}"),
            number_or_dash(point.bytes_sent_per_rank, "{:.0f}")};
}

void add_links(const SweepPoint& point, Cells& cells) {
    for (const double bytes :
         {point.most_sent.inside_node_bytes, point.most_sent.between_nodes_bytes}) {
        cells.push_back(number_or_dash(bytes, "{:.0f}"));
        cells.push_back(number_or_dash(bytes / point.measurement.median_s * 1e-9, "{:.3g}"));
    }
}

template <class Text>
std::string headings(const std::vector<Column>& some, Text&& text) {
    std::string line;
    for (const Column& column : some) line += fmt::format(" {:>{}}", text(column), column.width);
    return line;
}

std::size_t longest(const std::vector<std::string>& names) {
    std::size_t length = 9;  // "algorithm"
    for (const auto& name : names) length = std::max(length, name.size());
    return length;
}

}  // namespace

std::string cluster_line(const collectives::ClusterDescription& cluster) {
    const auto link = [](const collectives::LinkDescription& one) {
        return fmt::format("{} and {:.3g} GB/s", format_time(one.alpha_s), one.bandwidth_gb_s);
    };
    std::string line =
        fmt::format("# predicted with alpha and bandwidth of messages {}",
                    cluster.ranks_per_node > 1 ? link(cluster.intra_node) + " inside a node"
                                               : link(cluster.inter_node) + " between nodes");
    if (cluster.nodes > 1 && cluster.ranks_per_node > 1) {
        line += fmt::format(", {} between nodes", link(cluster.inter_node));
    }
    if (cluster.nics) {
        line += fmt::format(", {:.3g} GB/s for all ranks of a node",
                            cluster.nics->bandwidth_gb_s * cluster.nics->per_node);
    }
    if (cluster.shared_memory) {
        line += fmt::format(", {} through shared memory", link(*cluster.shared_memory));
    }
    return line + fmt::format("; reduction at {:.3g} GB/s; {}\n", cluster.reduction.rate_gb_s,
                              cluster.source);
}

SweepTable::SweepTable(const SweepOptions& options, const OperationPlan& planned,
                       const collectives::Communicator& communicator)
    : options_(options),
      planned_(planned),
      ranks_(
          fmt::format("{} ranks: {}", communicator.size(), communicator.topology().description())),
      name_width_(longest(names_of(planned.algorithms))),
      several_nodes_(communicator.topology().nodes() > 1),
      is_predicted_(!options.on_gpus() || communicator.cluster().gpus) {}

std::string SweepTable::title() const {
    const collectives::Operation& operation = *planned_.operation;
    std::string words = operation.name + " " + options_.type;
    if (operation.reduces) words += " " + options_.reduction;
    if (operation.rooted) words += fmt::format(" root {}", options_.root);
    if (has_shares(operation)) words += fmt::format(", {} shares", options_.shares);
    if (options_.rotate != "off") words += fmt::format(", buffers rotated: {}", options_.rotate);
    return words;
}

std::string SweepTable::heading() const {
    const auto shown = shown_columns(is_predicted_, several_nodes_);
    const auto line = [&](const char* size, const char* count, const char* place, const char* name,
                          const char* checked, auto&& text) {
        return fmt::format("{:>9} {:>10} {:>5} {:<{}}{} {:>9}\n", size, count, place, name,
                           name_width_, headings(shown, text), checked);
    };
    return fmt::format("# {}, {}\n", title(), ranks_) +
           line("size", "count", "in", "algorithm", "checked",
                [](const Column& column) { return column.name; }) +
           line("", "elements", "place", "", "", [](const Column& column) { return column.unit; });
}

std::string SweepTable::row(const SweepPoint& point, const std::string& mark) const {
    const auto shown = shown_columns(is_predicted_, several_nodes_);
    Cells cells = cells_of(point);
    if (!is_predicted_) {
        cells.erase(cells.begin() + first_predicted, cells.begin() + first_predicted + 2);
    }
    if (several_nodes_) add_links(point, cells);
    std::string line =
        fmt::format("{:>9} {:>10} {:>5} {:<{}}", format_size(point.size_bytes), point.count,
                    point.in_place ? "yes" : "no", point.algorithm, name_width_);
    for (std::size_t i = 0; i < cells.size(); ++i) {
        line += fmt::format(" {:>{}}", cells[i], shown[i].width);
    }
    line += fmt::format(" {:>9}", check_text(point)) + mark;
    const auto stall = std::ranges::find(point.stalls, false, &Stall::excused);
    if (stall != point.stalls.end()) line += " ! stalled: " + stall->place;
    if (point.disturbed()) line += " " + disturbance_mark(point.watched.surroundings);
    line += "\n";
    if (!point.reason.empty())
        line += fmt::format("#{:>25} took {}\n", point.algorithm, point.reason);
    return line;
}

}  // namespace shardstone::benchmarks
