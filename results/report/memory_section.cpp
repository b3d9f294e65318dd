// SPDX-License-Identifier: BSD-3-Clause
// The report's section on memory and traffic: measured bytes beside formula and step programs.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "results/report/figure.hpp"
#include "results/report/html.hpp"
#include "results/report/rows_table.hpp"
#include "results/report/section.hpp"
#include "results/report/stacked_bars.hpp"
#include "results/report/training_run.hpp"
#include "results/report/words.hpp"

namespace shardstone::results {

namespace {

constexpr double mebibyte = 1024.0 * 1024.0;

std::vector<std::string> memory_classes(const std::vector<TrainingRun>& runs) {
    std::vector<std::string> names;
    for (const auto& run : runs) {
        for (const auto& row : rows<MemoryRow>(*run.source)) {
            if (std::ranges::find(names, row.name) == names.end()) names.push_back(row.name);
        }
    }
    return names;
}

Figure memory_figure(const std::vector<TrainingRun>& runs) {
    const auto held = [](const TrainingRun& run, const std::string& name) -> BarPart {
        const auto classes = rows<MemoryRow>(*run.source);
        const auto row = std::ranges::find(classes, name, &MemoryRow::name);
        if (row == classes.end()) return {0.0, name + ": -"};
        return {row->measured_bytes / mebibyte,
                fmt::format("{}: {}, formula {}", name, size_text(row->measured_bytes),
                            size_text(row->formula_bytes))};
    };
    return stacked_bars("Measured memory of rank 0", runs, memory_classes(runs), held,
                        linear_axis("Memory (MiB)"));
}

/// The greatest factor between measured and formula over all classes; infinite where one is zero
/// and the other is not.
double worst_factor(const std::vector<TrainingRun>& runs) {
    double worst = 1.0;
    for (const auto& run : runs) {
        for (const auto& row : rows<MemoryRow>(*run.source)) {
            if (row.measured_bytes == row.formula_bytes) continue;
            worst = std::max(worst, factor_apart(row.measured_bytes / row.formula_bytes));
        }
    }
    return worst;
}

void add_traffic_finding(const std::vector<TrainingRun>& runs, Section& section) {
    std::size_t ranks = 0, equal = 0;
    std::vector<const Source*> from;
    for (const auto& run : runs) {
        for (const auto& row : rows<SentBytesRow>(*run.source)) {
            ++ranks;
            if (row.sent_bytes == row.scheduled_bytes) ++equal;
        }
        from.push_back(run.source);
    }
    if (ranks == 0) return;
    section.findings.push_back(
        {fmt::format(
             "Of {} in training, {} sent exactly the bytes scheduled by their step programs.",
             plural(static_cast<double>(ranks), "rank"), count_text(static_cast<double>(equal))),
         from});
}

/// To the digits that are shown, so that no class is off by more than they say.
double rounded_up(double factor) {
    constexpr double steps = 1000.0, noise = 1e-9;
    return std::ceil(steps * factor - noise) / steps;
}

}  // namespace

std::optional<Section> memory_section(const std::vector<Source>& sources) {
    auto runs = training_runs(sources);
    std::erase_if(runs, [](const auto& run) { return rows<MemoryRow>(*run.source).empty(); });
    if (runs.empty()) return std::nullopt;
    Section section{"memory", "Memory and traffic"};
    section.lead =
        "Peak memory of rank 0 in bytes, by class, as counted on allocation, next to the "
        "predictions of the formula (another pipeline stage may hold more: see train --dry-run); "
        "and bytes sent by each rank, next to those scheduled by the step programs.";
    section.figures = {memory_figure(runs)};
    const double worst = worst_factor(runs);
    section.findings.push_back(
        {fmt::format("Measured memory {} in every class of {}.",
                     worst == 1.0 ? std::string("equals the formula")
                                  : fmt::format("is within a factor of {} of the formula",
                                                digits_text(rounded_up(worst), 4)),
                     runs.size() == 1 ? std::string("the training run")
                                      : fmt::format("all {} training runs", runs.size())),
         section.figures.front().from});
    add_traffic_finding(runs, section);
    for (const auto& run : runs) {
        section.body +=
            foldable(run.label, whole_table<MemoryRow>(*run.source, "Memory by class") +
                                    whole_table<SentBytesRow>(*run.source, "Bytes sent by rank"));
    }
    return section;
}

}  // namespace shardstone::results
