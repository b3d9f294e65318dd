// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "results/report/figure.hpp"
#include "results/report/html.hpp"
#include "results/report/section.hpp"
#include "results/report/training_run.hpp"
#include "results/report/words.hpp"

namespace shardstone::results {

namespace {

using nlohmann::json;

constexpr const char* memory_table = "memory";

Figure memory_figure(const TrainingRun& run) {
    Figure figure{"Memory per rank, " + run.label, json::array(), json::object(), false};
    const auto& classes = texts(*run.source, memory_table, "class");
    const auto mebibytes = [&](const char* column) {
        std::vector<double> sizes = numbers(*run.source, memory_table, column);
        for (double& size : sizes) size /= 1024.0 * 1024.0;
        return sizes;
    };
    figure.data.push_back(bar_trace("measured", classes, mebibytes("measured_bytes"), 0, false));
    figure.data.push_back(bar_trace("formula", classes, mebibytes("formula_bytes"), 5, false));
    figure.layout = {{"barmode", "group"}, {"yaxis", linear_axis("Memory (MiB)")}};
    return figure;
}

double deviation(double measured, double formula) {
    return formula == 0.0 ? (measured == 0.0 ? 0.0 : NAN) : measured / formula - 1.0;
}

}  // namespace

std::optional<Section> memory_section(const std::vector<Source>& sources) {
    auto runs = training_runs_of(sources);
    std::erase_if(runs,
                  [](const auto& run) { return !run.source->record.has_table(memory_table); });
    if (runs.empty()) return std::nullopt;
    Section section{"memory", "Memory", {}, {}, {}, {}, {}};
    section.lead =
        "Bytes that one rank holds at its peak, by class, as counted where they are allocated, "
        "beside what the formula says beforehand.";
    HtmlTable table({"Run", "Class", "Measured", "Formula", "Difference"});
    double worst = 0.0;
    for (const auto& run : runs) {
        const auto& classes = texts(*run.source, memory_table, "class");
        const auto& measured = numbers(*run.source, memory_table, "measured_bytes");
        const auto& formula = numbers(*run.source, memory_table, "formula_bytes");
        for (std::size_t i = 0; i < classes.size(); ++i) {
            const double difference = deviation(measured[i], formula[i]);
            if (std::isfinite(difference)) worst = std::max(worst, std::abs(difference));
            table.add_row({run.label, classes[i], size_text(measured[i]), size_text(formula[i]),
                           percent_text(difference)});
        }
    }
    section.figures.push_back(memory_figure(runs.front()));
    if (runs.size() > 1) section.figures.push_back(memory_figure(runs.back()));
    const std::string agreement = worst == 0.0
                                      ? "equals the formula"
                                      : "is within " + percent_text(worst) + " of the formula";
    section.findings.push_back(fmt::format("Measured memory {} in every class of all {}.",
                                           agreement,
                                           plural(static_cast<double>(runs.size()), "run")));
    section.body = table.html();
    return section;
}

}  // namespace shardstone::results
