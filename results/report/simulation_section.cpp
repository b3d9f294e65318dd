// SPDX-License-Identifier: BSD-3-Clause
// The report's section on simulated collectives, marked as predicted throughout.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "results/report/figure.hpp"
#include "results/report/rows_table.hpp"
#include "results/report/section.hpp"
#include "results/report/words.hpp"
#include "results/schema/collectives.hpp"

namespace shardstone::results {

namespace {

using Predictions = std::vector<SimulatedRow>;

std::map<double, Predictions> by_rank_count(const Source& source) {
    std::map<double, Predictions> parts;
    for (auto& row : rows<SimulatedRow>(source)) parts[row.ranks].push_back(row);
    return parts;
}

Figure prediction_figure(const Source& source, const Predictions& points) {
    Figure figure{
        fmt::format("PREDICTED time, {} on {}", source.record.identity.value("title", "simulation"),
                    plural(points.front().ranks, "rank")),
        {&source}};
    figure.wide = true;
    std::map<std::string, Predictions> curves;
    std::vector<double> sizes, times;
    for (const auto& point : points) {
        curves[point.algorithm].push_back(point);
        sizes.push_back(point.size_bytes);
        times.push_back(point.predicted_s);
    }
    std::ranges::sort(sizes);
    const auto repeated = std::ranges::unique(sizes);
    sizes.erase(repeated.begin(), repeated.end());
    int shade = 0;
    for (const auto& [name, curve] : curves) {
        std::vector<double> x, y;
        std::vector<std::string> notes;
        for (const auto& point : curve) {
            x.push_back(point.size_bytes);
            y.push_back(point.predicted_s);
            notes.push_back(fmt::format("{} at {}: predicted {}", name, size_text(x.back()),
                                        time_text(y.back())));
        }
        nlohmann::json trace = line_trace(name, x, y, shade++);
        trace["notes"] = notes;
        trace["dashes"] = true;
        figure.traces.push_back(trace);
    }
    figure.layout = {{"x", size_axis(sizes)},
                     {"y", decade_axis("PREDICTED time", times, time_tick)}};
    return figure;
}

void add_prediction_finding(const Source& source, const Predictions& points, Section& section) {
    const double greatest = std::ranges::max(points, {}, &SimulatedRow::size_bytes).size_bytes;
    const SimulatedRow* best = nullptr;
    for (const auto& point : points) {
        if (point.size_bytes != greatest) continue;
        if (best == nullptr || point.predicted_s < best->predicted_s) best = &point;
    }
    section.findings.push_back(
        {fmt::format(
             "PREDICTED, not measured: {} on {}, {}: {} is fastest with {}, a bus bandwidth of {}.",
             source.record.identity.value("title", "simulation"), plural(best->ranks, "rank"),
             size_text(greatest), best->algorithm, time_text(best->predicted_s),
             rate_text(best->predicted_busbw_gb_s)),
         {&source}});
}

}  // namespace

std::optional<Section> simulation_section(const std::vector<Source>& sources) {
    const auto found = with_rows<SimulatedRow>(sources);
    with_rows<SimulatedTrafficRow>(sources);
    if (found.empty()) return std::nullopt;
    Section section{"simulation", "PREDICTED: simulated collectives"};
    section.lead =
        "Nothing here was measured: the schedules were simulated, event by event, on a described "
        "cluster. No figure in this section may be compared with a measurement on another machine.";
    for (const Source* source : found) {
        for (const auto& [ranks, points] : by_rank_count(*source)) {
            section.figures.push_back(prediction_figure(*source, points));
            add_prediction_finding(*source, points, section);
        }
        section.body += whole_table<SimulatedRow>(*source, "PREDICTED times, " + source->file());
        section.body += whole_table<SimulatedTrafficRow>(
            *source, "PREDICTED bytes on the links, " + source->file());
    }
    return section;
}

}  // namespace shardstone::results
