// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "results/report/figure.hpp"
#include "results/report/html.hpp"
#include "results/report/section.hpp"
#include "results/report/sweep_findings.hpp"
#include "results/report/words.hpp"

namespace shardstone::results {

namespace {

using nlohmann::json;

struct Curve {
    std::vector<double> size, value, low, high, predicted;
};

Curve time_curve(const std::vector<SweepPoint>& points) {
    Curve curve;
    for (const auto& point : points) {
        curve.size.push_back(point.size_bytes);
        curve.value.push_back(point.time_s);
        curve.low.push_back(point.low_s);
        curve.high.push_back(point.high_s);
        curve.predicted.push_back(point.predicted_s);
    }
    return curve;
}

Curve bandwidth_curve(const std::vector<SweepPoint>& points) {
    Curve curve;
    for (const auto& point : points) {
        curve.size.push_back(point.size_bytes);
        curve.value.push_back(point.busbw_gb_s);
        // The longest time is the least bandwidth.
        curve.low.push_back(point.busbw_gb_s * point.time_s / point.high_s);
        curve.high.push_back(point.busbw_gb_s * point.time_s / point.low_s);
        curve.predicted.push_back(point.predicted_busbw_gb_s());
    }
    return curve;
}

/// What is drawn against the size: how it is computed, and how its axis reads.
struct Quantity {
    const char* axis;
    Curve (*curve_of)(const std::vector<SweepPoint>&);
    std::string (*tick)(double);
};

constexpr Quantity bandwidth{"Bus bandwidth", bandwidth_curve, rate_tick};
constexpr Quantity time{"Time", time_curve, time_tick};

Figure figure_of(const Sweep& sweep, const Quantity& quantity, const std::string& title) {
    Figure figure;
    figure.wide = true;
    figure.title = fmt::format("{}, {}", quantity.axis, title);
    std::vector<double> all;
    int shade = 0;
    bool modelled = false;
    for (const auto& name : sweep.algorithms()) {
        const auto points = sweep.of(name);
        const Curve curve = quantity.curve_of(points);
        all.insert(all.end(), curve.value.begin(), curve.value.end());
        json trace = line_trace(name, curve.size, curve.value, shade);
        add_interval(trace, curve.low, curve.high);
        figure.data.push_back(trace);
        if (std::ranges::any_of(points, &SweepPoint::has_prediction)) {
            json model = line_trace(name + ", model", curve.size, curve.predicted, shade);
            make_dashed(model);
            model["legendgroup"] = name;
            model["showlegend"] = false;
            figure.data.push_back(model);
            modelled = true;
        }
        ++shade;
    }
    if (modelled) {
        json key = line_trace("dashed: cost model", {NAN}, {NAN}, -1);
        make_dashed(key);
        figure.data.push_back(key);
    }
    // Beside the plot, one below the other: names of composed algorithms are long.
    figure.layout = {{"legend", {{"orientation", "v"}, {"x", 1.02}, {"y", 1.0}}},
                     {"xaxis", size_axis(sweep.sizes())},
                     {"yaxis", decade_axis(quantity.axis, all, quantity.tick)}};
    return figure;
}

std::string table_of_winners(const Sweep& sweep) {
    HtmlTable table({"Size", "Fastest", "Time", "95 % interval", "Bus bandwidth", "Library's own",
                     "Fastest is"});
    for (const double size : sweep.sizes()) {
        const SweepPoint* ours = sweep.fastest(size);
        const SweepPoint* rival = sweep.rival(size);
        if (ours == nullptr) continue;
        table.add_row(
            {size_text(size), ours->algorithm, time_text(ours->time_s),
             ours->has_interval()
                 ? fmt::format("{} to {}", time_text(ours->low_s), time_text(ours->high_s))
                 : "too few samples",
             rate_text(ours->busbw_gb_s),
             rival == nullptr ? "-"
                              : fmt::format("{} by {}", time_text(rival->time_s), rival->algorithm),
             rival == nullptr ? "-" : advantage(*ours, *rival)});
    }
    return table.html();
}

std::string table_of_points(const Sweep& sweep) {
    HtmlTable table({"Algorithm", "Size", "Time", "95 % interval", "Bus bandwidth", "Model",
                     "Measured / model"});
    for (const auto& point : sweep.points) {
        table.add_row(
            {point.algorithm, size_text(point.size_bytes), time_text(point.time_s),
             point.has_interval()
                 ? fmt::format("{} to {}", time_text(point.low_s), time_text(point.high_s))
                 : "too few samples",
             rate_text(point.busbw_gb_s),
             point.has_prediction() ? time_text(point.predicted_s) : "-",
             point.has_prediction() ? digits_text(point.time_s / point.predicted_s, 3) : "-"});
    }
    return foldable(fmt::format("All {} measured points", table.size()), table.html());
}

}  // namespace

std::optional<Section> all_reduce_section(const std::vector<Source>& sources) {
    const auto sweeps = sweeps_of(sources);
    if (sweeps.empty()) return std::nullopt;
    Section section{"all-reduce", "All-reduce", {}, {}, {}, {}, {}};
    section.lead =
        "Time is the median over iterations of the slowest rank's time, with its distribution-free "
        "95 % interval. Bus bandwidth is 2 (P - 1) / P times the message size over the time, as "
        "nccl-tests defines it, so that it can be held against a link's rate at any number of "
        "ranks P. Dashed: what the cost model said beforehand.";
    for (const Sweep& sweep : sweeps) {
        const bool several = std::ranges::count(sweeps, sweep.ranks, &Sweep::ranks) > 1;
        const std::string title = sweep.title(several);
        section.figures.push_back(figure_of(sweep, bandwidth, title));
        section.figures.push_back(figure_of(sweep, time, title));
        add_sweep_findings(sweep, section);
        section.body += fmt::format("<h3>Fastest at each size, {}</h3>\n", escape_html(title));
        section.body += table_of_winners(sweep) + table_of_points(sweep);
    }
    return section;
}

}  // namespace shardstone::results
