// SPDX-License-Identifier: BSD-3-Clause
// The report's section on collectives: time and bus bandwidth by size, ours and the libraries' own.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "kernels/base/markup.hpp"
#include "results/report/expectation_findings.hpp"
#include "results/report/figure.hpp"
#include "results/report/html.hpp"
#include "results/report/rows_table.hpp"
#include "results/report/section.hpp"
#include "results/report/sweep_findings.hpp"
#include "results/report/system.hpp"
#include "results/report/words.hpp"

namespace shardstone::results {

namespace {

using nlohmann::json;

struct SweepCurve {
    std::vector<double> size, value, low, high;
    std::vector<std::string> notes;
    std::vector<bool> disturbed;
};

std::string sweep_note(const CollectiveRow& point) {
    return fmt::format("{} at {}: {}, bus bandwidth {}{}", point.algorithm,
                       size_text(point.size_bytes),
                       time_with_interval(point.time_s, point.time_low_s, point.time_high_s),
                       rate_text(point.busbw_gb_s), disturbance_note(is_disturbed(point)));
}

/// Time, or bandwidth: the longest time is the least bandwidth.
SweepCurve curve_of(const std::vector<CollectiveRow>& points, bool bandwidth) {
    SweepCurve curve;
    for (const auto& point : points) {
        const double low =
            bandwidth ? point.busbw_gb_s * point.time_s / point.time_high_s : point.time_low_s;
        const double high =
            bandwidth ? point.busbw_gb_s * point.time_s / point.time_low_s : point.time_high_s;
        curve.size.push_back(point.size_bytes);
        curve.value.push_back(bandwidth ? point.busbw_gb_s : point.time_s);
        curve.low.push_back(low);
        curve.high.push_back(high);
        curve.notes.push_back(sweep_note(point));
        curve.disturbed.push_back(is_disturbed(point));
    }
    return curve;
}

/// How a dashed curve is called and drawn.
struct Dashed {
    const char* word;
    bool bandwidth;
    int shade;
};

/// What was expected of these points, where it is known.
void add_expected(const std::vector<CollectiveRow>& points, double CollectiveRow::*expected_s,
                  const Dashed& look, Figure& figure) {
    std::vector<double> sizes, values;
    for (const auto& point : points) {
        if (!has_expected(point, expected_s)) continue;
        sizes.push_back(point.size_bytes);
        values.push_back(look.bandwidth ? expected_busbw_gb_s(point, expected_s)
                                        : point.*expected_s);
    }
    if (sizes.empty()) return;
    json trace = line_trace(fmt::format("{}, {} (dashed)", points.front().algorithm, look.word),
                            sizes, values, look.shade);
    make_dashed(trace);
    trace["hidden"] = true;
    figure.traces.push_back(trace);
}

void add_curves(const std::vector<CollectiveRow>& points, bool bandwidth, int shade,
                Figure& figure) {
    const auto& name = points.front().algorithm;
    const SweepCurve curve = curve_of(points, bandwidth);
    json trace = line_trace(name, curve.size, curve.value, shade);
    add_interval(trace, curve.low, curve.high);
    trace["notes"] = curve.notes;
    mark_disturbed(trace, curve.disturbed, figure);
    if (name == "auto") trace["width"] = 3.5;
    figure.traces.push_back(trace);
    add_expected(points, &CollectiveRow::predicted_s, {"model", bandwidth, shade}, figure);
    add_expected(points, &CollectiveRow::measured_before_s, {"measured before", bandwidth, shade},
                 figure);
}

Figure sweep_figure(const ReportedSweep& sweep, bool bandwidth, const std::string& title) {
    const auto drawn = sweep.drawn();
    const std::size_t all_algorithms = sweep.algorithms().size();
    Figure figure{
        fmt::format("{}: {}{}", title, bandwidth ? "bus bandwidth" : "time",
                    drawn.size() == all_algorithms
                        ? ""
                        : fmt::format(", {} of {} algorithms", drawn.size(), all_algorithms)),
        {sweep.source}};
    figure.wide = true;
    std::vector<double> all;
    int shade = 0;
    for (const auto& name : drawn) {
        const auto points = sweep.of(name);
        add_curves(points, bandwidth, shade++, figure);
        for (const auto& point : points) all.push_back(bandwidth ? point.busbw_gb_s : point.time_s);
    }
    figure.layout = {{"x", size_axis(sweep.sizes())},
                     {"y", bandwidth ? decade_axis("Bus bandwidth", all, rate_tick)
                                     : decade_axis("Time", all, time_tick)}};
    return figure;
}

std::string marked(const CollectiveRow& point, const std::string& figure) {
    return figure + disturbance_mark(is_disturbed(point));
}

std::string time_or_dash(const CollectiveRow* point) {
    return point == nullptr ? "-" : marked(*point, time_text(point->time_s));
}

/// `auto` beside the library's own, and what was best of all afterwards.
std::string headline_table(const std::vector<ReportedSweep>& sweeps, const ReportedSweep& sweep) {
    HtmlTable table({"Size", "auto", "95 % interval", "Bus bandwidth", "Library's own", "Setting",
                     "auto is", "Fastest of ours in hindsight", "Time of that"});
    table.tell_scripts({sweep.source->file(),
                        "headline",
                        {"size_bytes", "auto_s", "auto_interval_s", "auto_busbw_gb_s", "rival_s",
                         "rival", "advantage", "best", "best_s"},
                        {}});
    for (const double size : sweep.sizes()) {
        const CollectiveRow* ours = sweep.find("auto", size);
        const CollectiveRow* best = sweep.fastest_of_ours(size);
        const Rival rival = best_rival(sweeps, sweep, size);
        const bool both = ours != nullptr && rival.point != nullptr;
        table.add_row({size_text(size), time_or_dash(ours),
                       ours == nullptr ? "-" : interval_text(ours->time_low_s, ours->time_high_s),
                       ours == nullptr ? "-" : marked(*ours, rate_text(ours->busbw_gb_s)),
                       time_or_dash(rival.point), rival.point == nullptr ? "-" : rival.name(),
                       both ? advantage_over(sweep, *ours, rival) : "-",
                       best == nullptr ? "-" : best->algorithm, time_or_dash(best)});
    }
    const bool any = std::ranges::any_of(sweep.points, is_disturbed<CollectiveRow>);
    return table.html() + (any ? fmt::format("<p>{}.</p>\n", meaning_of_the_mark) : "") +
           origin_html({sweep.source});
}

void add_sweep(const std::vector<ReportedSweep>& sweeps, const ReportedSweep& sweep,
               const std::vector<Source>& sources, Section& section) {
    const auto alike = std::ranges::count_if(
        sweeps, [&](const ReportedSweep& other) { return other.title() == sweep.title(); });
    std::string title = sweep.title() + machine_note(*sweep.source, sources);
    if (alike > 1) title += ", " + sweep.source->file();
    section.figures.push_back(sweep_figure(sweep, true, title));
    section.figures.push_back(sweep_figure(sweep, false, title));
    add_sweep_findings(sweeps, sweep, section);
    add_expectation_findings(sweep, section);
    section.body += fmt::format("<h3>{}: auto and the library's own</h3>\n", escape_markup(title));
    section.body += headline_table(sweeps, sweep);
}

/// Everything else that such a record holds.
std::string sweep_tables(const Source& source) {
    const auto samples = rows<CollectiveSampleRow>(source).size();
    const auto rounds = rows<NoiseFloorRoundRow>(source).size();
    std::string html =
        paragraph(fmt::format("{}: medians and intervals over {} timed iterations{}.",
                              source.file(), count_text(static_cast<double>(samples)),
                              rounds == 0 ? ""
                                          : fmt::format(", noise floor over {} rounds",
                                                        count_text(static_cast<double>(rounds)))));
    html += whole_table<CollectiveRow>(source, "All measured points, " + source.file());
    html += whole_table<NoiseFloorRow>(source, "Fastest of our algorithms against itself");
    html += whole_table<CostParameterRow>(source, "Parameters of the cost model");
    return html;
}

}  // namespace

std::optional<Section> collectives_section(const std::vector<Source>& sources) {
    const auto sweeps = sweeps_of(sources);
    if (sweeps.empty()) return std::nullopt;
    Section section{"collectives", "Collectives"};
    section.lead = fmt::format(
        "Time is the median over iterations of the slowest rank's time, with its distribution-free "
        "95 % interval. Bus bandwidth is the message size over the time, times the operation's "
        "factor as defined by nccl-tests (2 (P - 1) / P for an all-reduce on P ranks), so that it "
        "can be compared with a link's rate at any number of ranks. `auto` is the algorithm that "
        "Shardstone chooses by itself; the library's own is its fastest measured setting. Dashed: "
        "the prediction of the cost model, or the earlier measurement by which `auto` chose. With "
        "more than {} algorithms the figures show `auto`, the libraries' own and the fastest of "
        "ours; the tables have all.",
        most_drawn);
    for (const ReportedSweep& sweep : sweeps) add_sweep(sweeps, sweep, sources, section);
    for (const Source* source : with_rows<CollectiveRow>(sources)) {
        section.body += sweep_tables(*source);
    }
    return section;
}

}  // namespace shardstone::results
