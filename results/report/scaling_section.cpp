// SPDX-License-Identifier: BSD-3-Clause
// The report's section on scaling: curves with intervals, where the loss goes, what was predicted.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "results/report/figure.hpp"
#include "results/report/html.hpp"
#include "results/report/rows_table.hpp"
#include "results/report/scaling_findings.hpp"
#include "results/report/scaling_rows.hpp"
#include "results/report/section.hpp"
#include "results/report/stacked_bars.hpp"
#include "results/report/words.hpp"

namespace shardstone::results {

namespace {

std::vector<const Source*> sources_of(const ScalingCurve& curve) {
    std::vector<const Source*> all;
    for (const ScalingPoint& point : curve.points) {
        all.insert(all.end(), point.from.begin(), point.from.end());
    }
    return all;
}

/// What a single rank has no use for leaves it as it was measured: changes of its links. Older
/// records do not tell what a core of its own would save it.
double rate_with(const ScalingPoint& point, const ChangedStepRow& change) {
    const auto same = std::ranges::find_if(
        point.split.changed, [&](const auto& one) { return is_same_change(one, change); });
    if (same != point.split.changed.end()) return point.rate_if(*same);
    return point.ranks == 1.0 && change.change != "a core for every rank" ? point.rate : NAN;
}

/// One dashed line per change of the largest point.
std::vector<nlohmann::json> change_traces(const ScalingCurve& curve,
                                          const std::vector<double>& ranks) {
    std::vector<nlohmann::json> traces;
    for (const ChangedStepRow& change : curve.points.back().split.changed) {
        std::vector<double> rates;
        for (const ScalingPoint& point : curve.points) {
            rates.push_back(rate_with(point, change));
        }
        const std::string detail = change.detail.empty() ? "" : ", " + change.detail;
        traces.push_back(line_trace("if " + change.change + detail + " (replay)", ranks, rates,
                                    static_cast<int>(traces.size()) + 1));
        traces.back()["dashed"] = true;  // with marks: small changes lie on each other
        traces.back()["width"] = 1.5;
    }
    return traces;
}

Figure rate_figure(const ScalingCurve& curve) {
    Figure figure{curve.name(), sources_of(curve)};
    std::vector<double> ranks, rates, low, high, ideal;
    std::vector<bool> disturbed;
    for (const ScalingPoint& point : curve.points) {
        ranks.push_back(point.ranks);
        rates.push_back(point.rate);
        low.push_back(point.interval.low);
        high.push_back(point.interval.high);
        ideal.push_back(curve.base().rate * point.ranks / curve.base().ranks);
        disturbed.push_back(point.is_disturbed());
    }
    nlohmann::json measured = line_trace("measured", ranks, rates, 0);
    add_interval(measured, low, high);
    mark_disturbed(measured, disturbed, figure);
    nlohmann::json bound = line_trace("ideal", ranks, ideal, -1);
    make_dashed(bound);
    figure.traces = {measured, bound};
    for (auto& trace : change_traces(curve, ranks)) figure.traces.push_back(std::move(trace));
    figure.layout = {{"x", count_axis("Ranks", ranks)}, {"y", linear_axis("Tokens per second")}};
    return figure;
}

bool has_gap(const ScalingCurve& curve) {
    return std::ranges::none_of(curve.points,
                                [](const auto& point) { return !point.split.is_there(); });
}

/// Those that can be seen: of fourteen parts on eight colours most are nowhere in a curve.
std::vector<std::string> parts_to_draw(const ScalingCurve& curve) {
    constexpr double least_share = 1e-3;  // of the longest step, about a pixel
    double longest_s = 0.0;
    for (const ScalingPoint& point : curve.points) {
        longest_s = std::max({longest_s, point.split.step_s, point.split.predicted_s()});
    }
    const auto is_seen = [&](const ScalingPoint& point, const std::string& name) {
        const GapRow* const one = point.split.part(name);
        return one != nullptr && std::max(one->time_s, one->predicted_s) >= least_share * longest_s;
    };
    auto parts = curve.parts();
    std::erase_if(parts, [&](const std::string& name) {
        return std::ranges::none_of(curve.points,
                                    [&](const auto& point) { return is_seen(point, name); });
    });
    return parts;
}

/// Measured above predicted, point by point.
Figure gap_figure(const ScalingCurve& curve) {
    std::vector<std::string> labels;
    for (const ScalingPoint& point : curve.points) {
        labels.push_back(plural(point.ranks, "rank") + ", measured" +
                         disturbance_mark(point.is_disturbed()));
        labels.push_back(plural(point.ranks, "rank") + ", predicted");
    }
    const auto part = [&](std::size_t bar, const std::string& name) -> BarPart {
        const GapRow* const one = curve.points[bar / 2].split.part(name);
        const double measured_s = one == nullptr ? 0.0 : one->time_s;
        const double time_s = one == nullptr || bar % 2 == 0 ? measured_s : one->predicted_s;
        return {1e3 * time_s, fmt::format("{}: {}", name, time_text(time_s))};
    };
    Figure figure = stacked_bars("Where a step goes: " + curve.name(), labels, parts_to_draw(curve),
                                 part, linear_axis("Time of a step (ms)"));
    figure.from = sources_of(curve);
    return figure;
}

std::string points_html(const ScalingTables& tables) {
    HtmlTable table({"Ranks", "Runs", "Tokens/s", "95 % interval", "Speed-up",
                     "Efficiency per rank", "95 % interval", "Median step", "Predicted"});
    for (const ScalingRow& row : tables.points) {
        table.put_under(row.curve);
        table.add_row({count_text(row.ranks), count_text(row.runs),
                       count_text(row.tokens_per_s) + disturbance_mark(row.disturbed > 0.0),
                       estimate_range_text(row.tokens_per_s_low, row.tokens_per_s_high, count_text),
                       digits_text(row.speedup, 3), percent_text(row.efficiency),
                       estimate_range_text(row.efficiency_low, row.efficiency_high, percent_text),
                       time_text(row.step_s), time_text(row.predicted_s)});
    }
    const bool any = std::ranges::any_of(tables.points, is_disturbed<ScalingRow>);
    return table.html() + (any ? fmt::format("<p>{}.</p>\n", meaning_of_the_mark) : "");
}

std::string gap_html(const ScalingTables& tables) {
    if (tables.gap.empty()) return "";
    HtmlTable table({"Ranks", "Part", "Time", "Predicted", "Lost beside the base"});
    for (const ScalingGapRow& row : tables.gap) {
        table.put_under(row.curve);
        table.add_row({count_text(row.ranks), row.part,
                       time_text(row.time_s) + disturbance_mark(is_disturbed(row)),
                       time_text(row.predicted_s), time_text(row.lost_s)});
    }
    return foldable("Parts of a step", table.html());
}

std::string changes_html(const ScalingTables& tables) {
    if (tables.changes.empty()) return "";
    HtmlTable table({"Ranks", "If there were", "Which", "Tokens/s, by replay", "Times as fast"});
    for (const ScalingChangeRow& row : tables.changes) {
        table.put_under(row.curve);
        table.add_row({count_text(row.ranks), row.change, row.detail,
                       count_text(row.tokens_per_s) + disturbance_mark(row.disturbed > 0.0),
                       digits_text(row.ratio, 3)});
    }
    return table.html();
}

/// What a model is judged on: the point on its ranks.
bool is_of_disturbed(const ScalingFitRow& fit, const ScalingTables& tables) {
    return std::ranges::any_of(tables.points, [&](const ScalingRow& point) {
        return point.curve == fit.curve && point.ranks == fit.ranks && is_disturbed(point);
    });
}

std::string fits_html(const ScalingTables& tables) {
    if (tables.fits.empty()) return "";
    HtmlTable table({"Model", "Verdict", "Ranks", "Tokens/s it predicts", "95 % interval",
                     "Measured", "Fitted to fewer ranks"});
    for (const ScalingFitRow& row : tables.fits) {
        table.put_under(row.curve);
        table.add_row(
            {row.model, row.verdict, count_text(row.ranks), count_text(row.tokens_per_s),
             estimate_range_text(row.tokens_per_s_low, row.tokens_per_s_high, count_text),
             count_text(row.measured_tokens_per_s) + disturbance_mark(is_of_disturbed(row, tables)),
             row.parameters});
    }
    return table.html();
}

constexpr const char* how_to_read_curves =
    "Points are geometric means over runs with equal settings; intervals are over runs, or over "
    "the steps of "
    "a single one. In weak scaling the work of a rank stays, in strong scaling the global batch. "
    "The parts of a step come from trainings with --explain: the step programs replayed with the "
    "measured times, without one loss after another. They add up to the mean of the steps that "
    "were split, the last ones of each run, and shares of a step are of that, not of the median "
    "step. A part's loss is what it takes beyond the base's, at equal work. Models have not seen "
    "the largest point, on which they are judged; "
    "their intervals hold how runs differ, and how the points seen miss a model that has fewer "
    "numbers to fit than there are of them. Amdahl's serial share is the share of all work that "
    "further ranks do not divide among them; the universal law calls that contention, and its "
    "coherency is what each pair of ranks adds. Nothing is judged from disturbed points, and no "
    "rate in an interval wider than a factor of 2 speaks for a model.";

}  // namespace

std::optional<Section> scaling_section(const std::vector<Source>& sources) {
    const auto curves = scaling_curves(sources);
    if (curves.empty()) return std::nullopt;
    Section section{"scaling", "Scaling"};
    std::vector<const Source*> from;
    for (const ScalingCurve& curve : curves) {
        const auto all = sources_of(curve);
        from.insert(from.end(), all.begin(), all.end());
    }
    section.lead = how_to_read_curves + pace_lead(from);
    const auto tables = scaling_tables(curves);
    for (const ScalingCurve& curve : curves) {
        section.figures.push_back(rate_figure(curve));
        if (has_gap(curve)) section.figures.push_back(gap_figure(curve));
        for (const std::string& text : scaling_findings(curve)) {
            section.findings.push_back({text, sources_of(curve)});
        }
    }
    section.body =
        points_html(tables) + changes_html(tables) + fits_html(tables) + gap_html(tables);
    return section;
}

}  // namespace shardstone::results
