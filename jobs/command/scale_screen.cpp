// SPDX-License-Identifier: BSD-3-Clause
// What `shardstone scale` prints: points, parts of a step, and what the models say.
#include "jobs/command/scale_screen.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "results/report/rows_table.hpp"
#include "results/report/words.hpp"

namespace shardstone::command {

namespace {

using namespace results;

/// Below what any clock sees, there is but the rounding of differences.
constexpr double least_shown_s = 1e-9;

std::string points_text(const std::vector<ScalingRow>& points) {
    constexpr const char* columns =
        "  {:>5} {:>5} {:>11} {:>25} {:>8} {:>10} {:>25} {:>11} {:>10}\n";
    std::string text =
        fmt::format(fmt::runtime(columns), "ranks", "runs", "tokens/s", "95 % interval", "speed-up",
                    "efficiency", "95 % interval", "median step", "predicted");
    for (const ScalingRow& row : points) {
        text += fmt::format(
            fmt::runtime(columns), row.ranks, row.runs,
            count_text(row.tokens_per_s) + disturbance_mark(row.disturbed > 0.0),
            estimate_range_text(row.tokens_per_s_low, row.tokens_per_s_high, count_text),
            digits_text(row.speedup, 3), percent_text(row.efficiency),
            estimate_range_text(row.efficiency_low, row.efficiency_high, percent_text),
            time_text(row.step_s), time_text(row.predicted_s));
    }
    if (std::ranges::any_of(points, is_disturbed<ScalingRow>)) {
        text += fmt::format("  {}\n", meaning_of_the_mark);
    }
    return text;
}

bool is_shown(const ScalingCurve& curve, const std::string& part) {
    return std::ranges::any_of(curve.points, [&](const ScalingPoint& point) {
        const GapRow* const one = point.split.part(part);
        return one != nullptr && std::max(one->time_s, one->predicted_s) >= least_shown_s;
    });
}

/// One line per part, one pair of columns per number of ranks: measured, and predicted.
std::string gap_text(const ScalingCurve& curve) {
    if (curve.parts().empty()) {
        return "  parts of a step: in none of these runs; those of train --explain have them\n";
    }
    std::string text = fmt::format("  {:<36}", "part of a step");
    for (const ScalingPoint& point : curve.points) {
        text += fmt::format(" {:>11} {:>10}",
                            plural(point.ranks, "rank") + disturbance_mark(point.is_disturbed()),
                            "predicted");
    }
    text += '\n';
    for (const std::string& part : curve.parts()) {
        if (!is_shown(curve, part)) continue;
        text += fmt::format("  {:<36}", part);
        for (const ScalingPoint& point : curve.points) {
            const GapRow* const one = point.split.part(part);
            text += fmt::format(" {:>11} {:>10}", one == nullptr ? "-" : time_text(one->time_s),
                                one == nullptr ? "-" : time_text(one->predicted_s));
        }
        text += '\n';
    }
    text += fmt::format("  {:<36}", "mean of the split steps");
    for (const ScalingPoint& point : curve.points) {
        const bool is_split = point.split.is_there();
        text += fmt::format(" {:>11} {:>10}", is_split ? time_text(point.split.step_s) : "-",
                            is_split ? time_text(point.split.predicted_s()) : "-");
    }
    return text + '\n';
}

}  // namespace

std::string scaling_text(const ScalingCurve& curve) {
    const ScalingTables tables = scaling_tables({curve});
    std::string text = fmt::format("{}\n{}", curve.name(), points_text(tables.points));
    text += gap_text(curve);
    for (const ScalingFindingRow& row : tables.findings) text += "  - " + row.finding + "\n";
    return text;
}

}  // namespace shardstone::command
