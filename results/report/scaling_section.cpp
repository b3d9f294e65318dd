// SPDX-License-Identifier: BSD-3-Clause
// The report's section on scaling: curves with intervals, where the loss goes, what was predicted.
#include "results/report/scaling_section.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "results/report/figure.hpp"
#include "results/report/html.hpp"
#include "results/report/rows_table.hpp"
#include "results/report/stacked_bars.hpp"
#include "results/report/words.hpp"

namespace shardstone::results {

namespace {

/// What a single rank has no use for leaves it as it was measured: changes of its links. Older
/// records do not tell what a core of its own would save it.
double rate_with(const ShownCurve& curve, const ScalingRow& point, const ScalingChangeRow& change) {
    const auto& changes = curve.tables.changes;
    const auto same = std::ranges::find_if(changes, [&](const ScalingChangeRow& one) {
        return one.ranks == point.ranks && one.change == change.change &&
               one.detail == change.detail;
    });
    if (same != changes.end()) return same->tokens_per_s;
    return point.ranks == 1.0 && change.change != "a core for every rank" ? point.tokens_per_s
                                                                          : NAN;
}

/// One dashed line per change of the largest point.
std::vector<nlohmann::json> change_traces(const ShownCurve& curve,
                                          const std::vector<double>& ranks) {
    std::vector<nlohmann::json> traces;
    for (const ScalingChangeRow& change : curve.tables.changes) {
        if (change.ranks != ranks.back()) continue;
        std::vector<double> rates;
        for (const ScalingRow& point : curve.tables.points) {
            rates.push_back(rate_with(curve, point, change));
        }
        const std::string detail = change.detail.empty() ? "" : ", " + change.detail;
        traces.push_back(line_trace("if " + change.change + detail + " (replay)", ranks, rates,
                                    static_cast<int>(traces.size()) + 1));
        traces.back()["dashed"] = true;  // with marks: small changes lie on each other
        traces.back()["width"] = 1.5;
    }
    return traces;
}

Figure rate_figure(const ShownCurve& curve) {
    Figure figure{curve.name, curve.from};
    const auto& points = curve.tables.points;
    std::vector<double> ranks, rates, low, high, ideal;
    std::vector<bool> disturbed;
    for (const ScalingRow& point : points) {
        ranks.push_back(point.ranks);
        rates.push_back(point.tokens_per_s);
        low.push_back(point.tokens_per_s_low);
        high.push_back(point.tokens_per_s_high);
        ideal.push_back(points.front().tokens_per_s * point.ranks / points.front().ranks);
        disturbed.push_back(is_disturbed(point));
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

/// Those that can be seen: of fourteen parts on eight colours most are nowhere in a curve.
std::vector<std::string> parts_to_draw(const ShownCurve& curve) {
    constexpr double least_share = 1e-3;  // of the longest step, about a pixel
    double longest_s = 0.0;
    for (const ScalingRow& point : curve.tables.points) {
        longest_s = std::max({longest_s, point.split_step_s, point.predicted_s});
    }
    const auto is_seen = [&](const ScalingRow& point, const std::string& name) {
        const ScalingGapRow* const one = curve.part(point, name);
        return one != nullptr && std::max(one->time_s, one->predicted_s) >= least_share * longest_s;
    };
    auto parts = curve.parts();
    std::erase_if(parts, [&](const std::string& name) {
        return std::ranges::none_of(curve.tables.points,
                                    [&](const auto& point) { return is_seen(point, name); });
    });
    return parts;
}

/// Measured above predicted, point by point.
Figure gap_figure(const ShownCurve& curve) {
    const auto& points = curve.tables.points;
    std::vector<std::string> labels;
    for (const ScalingRow& point : points) {
        labels.push_back(plural(point.ranks, "rank") + ", measured" +
                         disturbance_mark(is_disturbed(point)));
        labels.push_back(plural(point.ranks, "rank") + ", predicted");
    }
    const auto part = [&](std::size_t bar, const std::string& name) -> BarPart {
        const ScalingGapRow* const one = curve.part(points[bar / 2], name);
        const double measured_s = one == nullptr ? 0.0 : one->time_s;
        const double time_s = one == nullptr || bar % 2 == 0 ? measured_s : one->predicted_s;
        return {1e3 * time_s, fmt::format("{}: {}", name, time_text(time_s))};
    };
    Figure figure = stacked_bars("Where a step goes: " + curve.name, labels, parts_to_draw(curve),
                                 part, linear_axis("Time of a step (ms)"));
    figure.from = curve.from;
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

std::string curves_html(const ScalingTables& tables) {
    if (tables.curves.empty()) return "";
    HtmlTable table({"Curve", "Machine of its runs", "Device"});
    for (const ScalingCurveRow& row : tables.curves) {
        table.add_row({row.curve, row.machine, row.device});
    }
    return table.html();
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

ScalingTables joined(const std::vector<ShownCurve>& curves) {
    ScalingTables all;
    const auto add = [](auto& to, const auto& more) {
        to.insert(to.end(), more.begin(), more.end());
    };
    for (const ShownCurve& curve : curves) {
        add(all.curves, curve.tables.curves);
        add(all.points, curve.tables.points);
        add(all.gap, curve.tables.gap);
        add(all.changes, curve.tables.changes);
        add(all.fits, curve.tables.fits);
    }
    return all;
}

}  // namespace

Section scaling_section_of(const std::vector<ShownCurve>& curves) {
    Section section{"scaling", "Scaling"};
    const bool is_any_paced = std::ranges::any_of(curves, &ShownCurve::is_paced);
    section.lead = std::string(how_to_read_curves) + (is_any_paced ? meaning_of_paced : "");
    for (const ShownCurve& curve : curves) {
        section.figures.push_back(rate_figure(curve));
        if (curve.has_parts()) section.figures.push_back(gap_figure(curve));
        for (const ScalingFindingRow& row : curve.tables.findings) {
            section.findings.push_back({row.finding, curve.from});
        }
    }
    const ScalingTables tables = joined(curves);
    section.body = points_html(tables) + curves_html(tables) + changes_html(tables) +
                   fits_html(tables) + gap_html(tables);
    return section;
}

std::optional<Section> scaling_section(const std::vector<Source>& sources) {
    const auto curves = shown_curves(sources);
    if (curves.empty()) return std::nullopt;
    return scaling_section_of(curves);
}

}  // namespace shardstone::results
