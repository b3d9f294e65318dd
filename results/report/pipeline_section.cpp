// SPDX-License-Identifier: BSD-3-Clause
// The report's section on pipelines: measured utilisation beside each schedule's closed form.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "results/report/figure.hpp"
#include "results/report/rows_table.hpp"
#include "results/report/section.hpp"
#include "results/report/system.hpp"
#include "results/report/words.hpp"
#include "results/schema/studies.hpp"

namespace shardstone::results {

namespace {

std::vector<std::string> schedules_of(const std::vector<UtilisationRow>& all) {
    std::vector<std::string> names;
    for (const auto& row : all) {
        if (std::ranges::find(names, row.schedule) == names.end()) names.push_back(row.schedule);
    }
    return names;
}

Figure utilisation_figure(const Source& source) {
    Figure figure{"Share of its time in which the pipeline computes" + pace_note(source),
                  {&source}};
    figure.wide = true;
    const auto all = rows<UtilisationRow>(source);
    std::vector<double> counts;
    int shade = 0;
    for (const auto& name : schedules_of(all)) {
        std::vector<double> x, y, low, high, formula;
        for (const auto& row : all) {
            if (row.schedule != name || row.measured > 1.0) continue;
            x.push_back(row.micro_batches);
            y.push_back(100.0 * row.measured);
            low.push_back(100.0 * row.measured_low);
            high.push_back(100.0 * row.measured_high);
            formula.push_back(100.0 * row.formula);
        }
        counts.insert(counts.end(), x.begin(), x.end());
        auto trace = line_trace(name, x, y, shade);
        add_interval(trace, low, high);
        auto model = line_trace(name + ", formula (dashed)", x, formula, shade++);
        make_dashed(model);
        figure.traces.push_back(trace);
        figure.traces.push_back(model);
    }
    std::ranges::sort(counts);
    const auto repeated = std::ranges::unique(counts);
    counts.erase(repeated.begin(), repeated.end());
    figure.layout = {{"x", count_axis("Micro-batches", counts)},
                     {"y", linear_axis("Utilisation (%)")}};
    return figure;
}

void add_pipeline_finding(const Source& source, Section& section) {
    const auto all = rows<UtilisationRow>(source);
    const auto best = std::ranges::max_element(all, {}, &UtilisationRow::measured);
    const auto busy = std::ranges::count_if(all, is_disturbed<UtilisationRow>);
    double apart = 1.0;
    for (const auto& row : all) {
        if (is_disturbed(row)) continue;
        apart = std::max(apart, factor_apart(row.measured / row.formula));
    }
    const std::string formula =
        busy == std::ssize(all)
            ? std::string(undecided)
            : fmt::format("at most a factor of {} apart", digits_text(apart, 3));
    section.findings.push_back(
        {fmt::format("The pipeline{} computes for at most {} of its time (95 % interval {} to "
                     "{}), with {} and {}{}; measurement and formula are {}{}.",
                     pace_note(source), share_text(best->measured), share_text(best->measured_low),
                     share_text(best->measured_high), best->schedule,
                     plural(best->micro_batches, "micro-batch", "micro-batches"),
                     disturbance_note(is_disturbed(*best)), formula, left_out_note(busy, "point")),
         {&source}});
}

}  // namespace

std::optional<Section> pipeline_section(const std::vector<Source>& sources) {
    const auto found = with_rows<UtilisationRow>(sources);
    with_rows<PipelineStepRow>(sources);
    if (found.empty()) return std::nullopt;
    Section section{"pipeline", "Pipeline utilisation"};
    section.lead =
        "Share of its time in which a pipeline of stages computes: measured by wall clock with its "
        "95 % interval, and, dashed, by the schedule's closed form." +
        pace_lead(found);
    for (const Source* source : found) {
        section.figures.push_back(utilisation_figure(*source));
        add_pipeline_finding(*source, section);
        section.body +=
            whole_table<UtilisationRow>(*source, "Utilisation by schedule" + pace_note(*source));
        section.body += whole_table<PipelineStepRow>(*source, "Every step" + pace_note(*source));
    }
    return section;
}

}  // namespace shardstone::results
