// SPDX-License-Identifier: BSD-3-Clause
// The report's section on overlap: how much communication the backward pass hides, by round.
#include <fmt/format.h>

#include <cmath>
#include <map>

#include "results/report/figure.hpp"
#include "results/report/rows_table.hpp"
#include "results/report/section.hpp"
#include "results/report/system.hpp"
#include "results/report/words.hpp"
#include "results/schema/studies.hpp"

namespace shardstone::results {

namespace {

std::vector<OverlapRoundRow> rounds_of_way(const Source& source, const std::string& way) {
    auto all = rows<OverlapRoundRow>(source);
    std::erase_if(all, [&](const auto& row) { return row.way != way; });
    return all;
}

/// Step times of both ways, round by round: what the medians are of.
Figure rounds_figure(const Source& source) {
    Figure figure{"Time of a step, round by round" + pace_note(source), {&source}};
    figure.wide = true;
    std::vector<double> all;
    int shade = 0;
    for (const char* way : {"overlapped", "apart"}) {
        std::vector<double> x, steps, exposed;
        for (const auto& row : rounds_of_way(source, way)) {
            x.push_back(row.round);
            steps.push_back(row.step_s);
            exposed.push_back(row.exposed_s);
        }
        all.insert(all.end(), steps.begin(), steps.end());
        all.insert(all.end(), exposed.begin(), exposed.end());
        figure.traces.push_back(line_trace(std::string(way) + ": step", x, steps, shade));
        auto waiting =
            line_trace(std::string(way) + ": exposed communication", x, exposed, shade++);
        make_dashed(waiting);
        figure.traces.push_back(waiting);
    }
    figure.layout = {{"x", plain_axis("Round")}, {"y", decade_axis("Time", all, time_tick)}};
    return figure;
}

std::string overlap_words(const OverlapRow& row) {
    const auto text = [&](double value) {
        return row.figure.ends_with("_s") ? time_text(value) : digits_text(value, 3);
    };
    if (!std::isfinite(row.low)) return text(row.median) + " in the median, from too few rounds";
    return fmt::format("{} in the median (95 % interval {} to {})", text(row.median), text(row.low),
                       text(row.high));
}

/// What a reader needs to know of the figures, in words; the table has all by their names.
const std::map<std::string, const char*> figure_words{
    {"overlapped_exposed_s", "the exposed communication of a step with overlap"},
    {"apart_exposed_s", "the exposed communication of a step without overlap"},
    {"exposed_ratio", "the share of exposed communication that remains with overlap"}};

void add_overlap_findings(const Source& source, Section& section) {
    const double ranks = source.record.environment.value("ranks", 1.0);
    for (const auto& row : rows<OverlapRow>(source)) {
        const auto words = figure_words.find(row.figure);
        if (words == figure_words.end()) continue;
        section.findings.push_back(
            {fmt::format("Overlap on {}{}: {} is {}{}{}.", plural(ranks, "rank"), pace_note(source),
                         words->second, overlap_words(row), disturbance_note(is_disturbed(row)),
                         crowding_note(source, ranks)),
             {&source}});
    }
}

}  // namespace

std::optional<Section> overlap_section(const std::vector<Source>& sources) {
    const auto found = with_rows<OverlapRow>(sources);
    with_rows<OverlapRoundRow>(sources);
    if (found.empty()) return std::nullopt;
    Section section{"overlap", "Overlap of communication and computation"};
    section.lead =
        "The same training steps with communication during the backward pass ('overlapped') and "
        "after it ('apart'), in alternation. Exposed communication is the time for which a rank "
        "waits." +
        pace_lead(found);
    for (const Source* source : found) {
        section.figures.push_back(rounds_figure(*source));
        add_overlap_findings(*source, section);
        section.body +=
            whole_table<OverlapRow>(*source, "Medians over the rounds" + pace_note(*source));
        section.body += whole_table<OverlapRoundRow>(*source, "Every round" + pace_note(*source));
    }
    return section;
}

}  // namespace shardstone::results
