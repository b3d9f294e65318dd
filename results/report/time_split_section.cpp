// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "results/report/figure.hpp"
#include "results/report/html.hpp"
#include "results/report/section.hpp"
#include "results/report/training_run.hpp"
#include "results/report/words.hpp"

namespace shardstone::results {

namespace {

using nlohmann::json;

struct Part {
    const char* name;
    double TrainingRun::*time_s;
};

constexpr std::array parts{Part{"compute", &TrainingRun::compute_s},
                           Part{"exposed communication", &TrainingRun::communication_s},
                           Part{"data", &TrainingRun::data_s},
                           Part{"optimizer", &TrainingRun::optimizer_s}};

double total_s(const TrainingRun& run) {
    double total = 0.0;
    for (const Part& part : parts) total += run.*part.time_s;
    return total;
}

Figure split_figure(const std::vector<TrainingRun>& runs) {
    Figure figure{"Share of the training time", json::array(), json::object(), true};
    std::vector<std::string> labels;
    for (const auto& run : runs) labels.push_back(run.label);
    int shade = 0;
    for (const Part& part : parts) {
        std::vector<double> shares;
        json notes = json::array();
        for (const auto& run : runs) {
            shares.push_back(100.0 * run.*part.time_s / total_s(run));
            notes.push_back(time_text(run.*part.time_s));
        }
        json trace = bar_trace(part.name, labels, shares, shade++, true);
        trace["customdata"] = notes;
        trace["hovertemplate"] = "%{y}: %{x:.1f} % (%{customdata})";
        figure.data.push_back(trace);
    }
    figure.layout = {
        {"barmode", "stack"},
        {"legend", {{"y", -60.0 / (44.0 * static_cast<double>(runs.size()) + 74.0)}}},
        {"height", 150 + 44 * std::ssize(runs)},
        {"xaxis", {{"title", "Share (%)"}, {"range", {0, 100}}}},
        {"yaxis", {{"autorange", "reversed"}, {"automargin", true}, {"type", "category"}}}};
    return figure;
}

}  // namespace

std::optional<Section> time_split_section(const std::vector<Source>& sources) {
    auto runs = training_runs_of(sources);
    std::erase_if(runs, [](const auto& run) { return !(total_s(run) > 0.0); });
    if (runs.empty()) return std::nullopt;
    Section section{"time", "Where the time goes", {}, {}, {}, {}, {}};
    section.lead =
        "Exposed communication is the time a rank waits for others with nothing left to compute; "
        "what overlaps with the backward pass costs nothing and is not in it.";
    section.figures = {split_figure(runs)};
    const TrainingRun& widest = *std::ranges::max_element(runs, {}, &TrainingRun::ranks);
    section.findings.push_back(
        fmt::format("On {}, {} of the training time is compute and {} waiting for other ranks.",
                    plural(widest.ranks, "rank"), percent_text(widest.compute_s / total_s(widest)),
                    percent_text(widest.communication_s / total_s(widest))));
    HtmlTable table({"Run", "Compute", "Exposed communication", "Data", "Optimizer", "Sum"});
    for (const auto& run : runs) {
        table.add_row({run.label, time_text(run.compute_s), time_text(run.communication_s),
                       time_text(run.data_s), time_text(run.optimizer_s), time_text(total_s(run))});
    }
    section.body = table.html();
    return section;
}

}  // namespace shardstone::results
