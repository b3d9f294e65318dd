// SPDX-License-Identifier: BSD-3-Clause
// The report's section on what tests of an interconnect would have seen, on simulated clusters.
#include <fmt/format.h>

#include <algorithm>

#include "results/report/figure.hpp"
#include "results/report/rows_table.hpp"
#include "results/report/section.hpp"
#include "results/report/self_test_words.hpp"
#include "results/report/words.hpp"
#include "results/schema/simulated_trials.hpp"

namespace shardstone::results {

namespace {

/// A line for each kind of fault, over the rate of the bad part.
Figure figure_of(const Source& source, const std::vector<DetectionRow>& rows, double repetitions) {
    Figure figure{fmt::format("{}: faults that are named, {}", source.file(),
                              plural(repetitions, "message") + " per test"),
                  {&source}};
    std::vector<std::string> faults;
    for (const DetectionRow& row : rows) {
        const bool known = std::ranges::find(faults, row.fault) != faults.end();
        if (row.fault != healthy_clusters && !known) faults.push_back(row.fault);
    }
    for (const std::string& fault : faults) {
        std::vector<double> rates, shares, low, high;
        for (const DetectionRow& row : rows) {
            if (row.fault != fault || row.repetitions != repetitions) continue;
            rates.push_back(100.0 * row.rate);
            shares.push_back(100.0 * row.localised);
            low.push_back(100.0 * row.localised_low);
            high.push_back(100.0 * row.localised_high);
        }
        figure.traces.push_back(
            line_trace(fault, rates, shares, static_cast<int>(figure.traces.size())));
        add_interval(figure.traces.back(), low, high);
    }
    figure.layout = {{"x", plain_axis("Rate of the bad part (% of the healthy one)")},
                     {"y", linear_axis("Trials in which it is named (%)")}};
    return figure;
}

/// Noise of a busy machine hides faults, so that what follows would be too pessimistic.
const char* noise_in_words(const Source& source) {
    const bool disturbed = setting_text(source, "noise_disturbed", "false") == "true";
    return disturbed ? "with noise measured on a BUSY machine (disturbed)" : "with this noise";
}

void add_findings(const Source& source, const std::vector<DetectionRow>& rows, Section& section) {
    for (const std::string& line : detection_in_words(rows)) {
        section.findings.push_back(
            {fmt::format("{}: simulated, {}: {}.", source.file(), noise_in_words(source), line),
             {&source}});
    }
}

}  // namespace

std::optional<Section> self_test_section(const std::vector<Source>& sources) {
    static_cast<void>(with_rows<TrialRow>(sources));
    const auto shown = with_rows<DetectionRow>(sources);
    if (shown.empty()) return std::nullopt;
    Section section{"self-test", "What the tests of an interconnect would have seen"};
    section.lead =
        "Simulated, not measured: clusters with one bad part, drawn at random, of a given share of "
        "its healthy rate, and noise as said. A fault is named if the suspect is that part, with "
        "the direction; what no test of pairs tells apart, as a node and its only NIC, is detected "
        "and "
        "not named. Intervals are exact, 95 %.";
    for (const Source* source : shown) {
        const auto all = rows<DetectionRow>(*source);
        add_findings(*source, all, section);
        std::vector<double> budgets;
        for (const DetectionRow& row : all) {
            const bool known = std::ranges::find(budgets, row.repetitions) != budgets.end();
            if (!known) budgets.push_back(row.repetitions);
        }
        for (const double budget : budgets) {
            Figure figure = figure_of(*source, all, budget);
            if (!figure.traces.empty()) section.figures.push_back(std::move(figure));
        }
        section.body += whole_table<DetectionRow>(*source, source->file() + ": shares") +
                        whole_table<TrialRow>(*source, source->file() + ": trials");
    }
    return section;
}

}  // namespace shardstone::results
