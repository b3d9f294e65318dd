// SPDX-License-Identifier: BSD-3-Clause
#include "benchmarks/collectives/sweep_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "collectives/operation/algorithm.hpp"
#include "kernels/base/units.hpp"

namespace shardstone::benchmarks {

namespace {

constexpr const char* rival = "mpi";

std::string number_or_dash(double value, const char* pattern) {
    return std::isfinite(value) ? fmt::format(fmt::runtime(pattern), value) : "-";
}

std::string time_or_dash(double time_s) {
    return std::isnan(time_s) ? "-" : format_time(time_s);
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

struct Best {
    const SweepPoint* ours = nullptr;
    const SweepPoint* library = nullptr;
};

std::string rival_line(std::int64_t size_bytes, const Best& best) {
    return fmt::format("{:>9}: {} takes {}, {} {}: {:.3g} times as long\n", format_size(size_bytes),
                       best.ours->algorithm, format_time(best.ours->measurement.median_s), rival,
                       format_time(best.library->measurement.median_s),
                       best.library->measurement.median_s / best.ours->measurement.median_s);
}

}  // namespace

std::string table_heading(const SweepOptions& options, const collectives::Topology& topology) {
    return fmt::format(
        "# {} {} {} in place, {} ranks: {}\n"
        "{:>9} {:>10} {:<42} {:>9} {:>22} {:>8} {:>8} {:>9} {:>6} {:>12} {:>8}\n"
        "{:>9} {:>10} {:<42} {:>9} {:>22} {:>8} {:>8} {:>9} {:>6} {:>12} {:>8}\n",
        options.op, options.type, options.reduction, topology.size(), topology.description(),
        "size", "count", "algorithm", "time", "95 % interval", "algbw", "busbw", "predicted",
        "meas/", "sent/rank", "checked", "", "elements", "", "median", "of the median", "GB/s",
        "GB/s", "", "pred", "bytes", "");
}

std::string costs_line(const collectives::CostParameters& costs) {
    return fmt::format(
        "# predicted with alpha {} and beta {:.3g} ns/B inside a node, {} and {:.3g} ns/B between, "
        "gamma {:.3g} ns/B\n",
        format_time(costs.intra_node.alpha_s), costs.intra_node.beta_s_per_byte * 1e9,
        format_time(costs.inter_node.alpha_s), costs.inter_node.beta_s_per_byte * 1e9,
        costs.gamma_s_per_byte * 1e9);
}

std::string table_row(const SweepPoint& point) {
    return fmt::format(
        "{:>9} {:>10} {:<42} {:>9} {:>22} {:>8.3g} {:>8.3g} {:>9} {:>6} {:>12} {:>8}\n",
        format_size(point.size_bytes), point.count, point.algorithm,
        format_time(point.measurement.median_s), interval_text(point.measurement),
        point.algbw_gb_s(), point.busbw_gb_s(), time_or_dash(point.predicted_s),
        number_or_dash(point.measurement.median_s / point.predicted_s, "{:.2f}"),
        number_or_dash(point.bytes_sent_per_rank, "{:.0f}"), check_text(point));
}

std::string table_findings(const Sweep& sweep) {
    std::map<std::int64_t, Best> by_size;
    for (const SweepPoint& point : sweep.points) {
        Best& best = by_size[point.size_bytes];
        if (point.algorithm == rival) {
            best.library = &point;
        } else if (best.ours == nullptr ||
                   point.measurement.median_s < best.ours->measurement.median_s) {
            best.ours = &point;
        }
    }
    std::string lines;
    for (const auto& [size_bytes, best] : by_size) {
        if (best.ours != nullptr && best.library != nullptr && best.ours->ranks > 1)
            lines += rival_line(size_bytes, best);
    }
    if (!lines.empty()) lines = "# the fastest of ours against the MPI library's own\n" + lines;
    const auto wrong = std::ranges::count_if(
        sweep.points, [](const SweepPoint& point) { return point.wrong_elements > 0; });
    if (wrong > 0)
        lines += fmt::format("# {} of {} points gave WRONG results\n", wrong, sweep.points.size());
    return lines;
}

std::string list_of_algorithms() {
    std::string lines;
    for (const auto& name : collectives::algorithms_for("all_reduce")) {
        const auto algorithm = collectives::find_algorithm("all_reduce", name);
        lines += fmt::format("{}\n    {}\n", algorithm.name, algorithm.summary);
        if (!algorithm.has_schedule()) continue;
        lines += fmt::format("    steps: {}\n    most vectors sent by a rank: {}\n    source: {}\n",
                             algorithm.steps_formula, algorithm.volume_formula, algorithm.citation);
    }
    return lines;
}

}  // namespace shardstone::benchmarks
