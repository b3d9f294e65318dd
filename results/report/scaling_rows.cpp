// SPDX-License-Identifier: BSD-3-Clause
// Scaling curves as rows of tables, and as checks.
#include "results/report/scaling_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "results/report/scaling_findings.hpp"
#include "results/report/scaling_fit.hpp"
#include "results/report/words.hpp"

namespace shardstone::results {

namespace {

ScalingRow row_of(const ScalingCurve& curve, const ScalingPoint& point) {
    const Interval efficiency = curve.efficiency_range(point);
    ScalingRow row;
    row.curve = curve.name();
    row.ranks = point.ranks;
    row.runs = static_cast<double>(point.rates.size());
    row.split_runs = static_cast<double>(point.split_runs());
    row.tokens_per_s = point.rate;
    row.tokens_per_s_low = point.interval.low;
    row.tokens_per_s_high = point.interval.high;
    row.speedup = curve.speedup(point);
    row.efficiency = curve.efficiency(point);
    row.efficiency_low = efficiency.low;
    row.efficiency_high = efficiency.high;
    row.step_s = point.step_s();
    if (point.split.is_there()) {
        row.predicted_s = point.split.predicted_s();
        row.parts_s = point.split.parts_s();
    }
    row.split_step_s = point.split.step_s;
    row.disturbed = point.is_disturbed() ? 1.0 : 0.0;
    return row;
}

/// How the work of a rank changes from the base to the point.
double work_ratio(const ScalingCurve& curve, const ScalingPoint& point) {
    return point.tokens_per_step / point.ranks /
           (curve.base().tokens_per_step / curve.base().ranks);
}

std::vector<ScalingFitRow> fit_rows(const ScalingCurve& curve) {
    std::vector<ScalingFitRow> rows;
    const ScalingPoint& last = curve.points.back();
    for (const ScalingFit& fit : scaling_fits(curve)) {
        rows.push_back({curve.name(), fit.model, fit.parameters, last.ranks, fit.rate,
                        fit.interval.low, fit.interval.high, last.rate,
                        fit.holds ? (*fit.holds ? 1.0 : 0.0) : NAN, to_string(fit.verdict)});
    }
    return rows;
}

/// Why the parts of a point's steps are not held against their time; "" if they are.
std::string unjudged_since(const ScalingRow& point) {
    if (!(point.parts_s > 0.0)) return "no parts";
    return point.disturbed > 0.0 ? "disturbed" : "";
}

Check check_of_runs(const std::vector<ScalingCurve>& curves,
                    const std::vector<ScalingRow>& points) {
    std::set<const Source*> runs;
    for (const ScalingCurve& curve : curves) runs.insert(curve.runs.begin(), curve.runs.end());
    std::string unjudged;
    for (const ScalingRow& point : points) {
        const std::string reason = unjudged_since(point);
        if (reason.empty()) continue;
        unjudged += fmt::format("{}{}, {} ({})",
                                unjudged.empty() ? "; no verdict on the parts of a step: " : "; ",
                                point.curve, plural(point.ranks, "rank"), reason);
    }
    return {"every run of the curves passed its own verification",
            std::ranges::all_of(runs, [](const Source* run) { return run->record.verified(); }),
            plural(static_cast<double>(runs.size()), "run") + unjudged};
}

}  // namespace

std::vector<ScalingGapRow> gap_rows(const ScalingCurve& curve, const ScalingPoint& point) {
    std::vector<ScalingGapRow> rows;
    for (const GapRow& one : point.split.gap) {
        ScalingGapRow row{curve.name(),
                          point.ranks,
                          one.part,
                          one.time_s,
                          one.predicted_s,
                          NAN,
                          point.is_disturbed() ? 1.0 : 0.0};
        if (const GapRow* const same = curve.base().split.part(one.part))
            row.lost_s = one.time_s - work_ratio(curve, point) * same->time_s;
        rows.push_back(std::move(row));
    }
    return rows;
}

std::vector<ScalingChangeRow> change_rows(const ScalingCurve& curve, const ScalingPoint& point) {
    std::vector<ScalingChangeRow> rows;
    for (const ChangedStepRow& one : point.split.changed) {
        const double rate = point.rate_if(one);
        rows.push_back({curve.name(), point.ranks, one.change, one.detail, rate, rate / point.rate,
                        point.is_disturbed() ? 1.0 : 0.0});
    }
    return rows;
}

bool parts_add_up(double parts_s, double split_step_s) {
    return std::abs(parts_s / split_step_s - 1.0) <= 0.02;
}

ScalingTables scaling_tables(const std::vector<ScalingCurve>& curves) {
    ScalingTables tables;
    for (const ScalingCurve& curve : curves) {
        const Source& run = *curve.base().from.front();
        tables.curves.push_back(
            {curve.name(), machine_name(run), curve.system.device, is_paced(run) ? 1.0 : 0.0});
        for (const ScalingPoint& point : curve.points) {
            tables.points.push_back(row_of(curve, point));
            for (auto& row : gap_rows(curve, point)) tables.gap.push_back(std::move(row));
            for (auto& row : change_rows(curve, point)) tables.changes.push_back(std::move(row));
        }
        for (auto& row : fit_rows(curve)) tables.fits.push_back(std::move(row));
        for (auto& words : scaling_findings(curve)) {
            tables.findings.push_back({curve.name(), std::move(words)});
        }
    }
    return tables;
}

ScalingTables scaling_tables(const Source& source) {
    return {rows<ScalingCurveRow>(source), rows<ScalingRow>(source),
            rows<ScalingGapRow>(source),   rows<ScalingChangeRow>(source),
            rows<ScalingFitRow>(source),   rows<ScalingFindingRow>(source)};
}

void fill_record(const std::vector<ScalingCurve>& curves, Record& record) {
    const ScalingTables tables = scaling_tables(curves);
    record.derived = {table_of(tables.curves),  table_of(tables.points), table_of(tables.gap),
                      table_of(tables.changes), table_of(tables.fits),   table_of(tables.findings)};
    for (const ScalingRow& point : tables.points) {
        if (!unjudged_since(point).empty()) continue;
        record.verification.push_back(
            {fmt::format("{}, {}: the parts add up to the step within 2 %", point.curve,
                         plural(point.ranks, "rank")),
             parts_add_up(point.parts_s, point.split_step_s),
             fmt::format("{} in parts, {} by the clock of the steps", time_text(point.parts_s),
                         time_text(point.split_step_s))});
    }
    record.verification.push_back(check_of_runs(curves, tables.points));
}

}  // namespace shardstone::results
