// SPDX-License-Identifier: BSD-3-Clause
// Scaling curves for the report, from the runs themselves or from the rows of a record of them.
#include "results/report/shown_curves.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "results/report/words.hpp"

namespace shardstone::results {

namespace {

template <class Row>
std::vector<Row> of_curve(const std::vector<Row>& rows, const std::string& curve) {
    std::vector<Row> own;
    std::ranges::copy_if(rows, std::back_inserter(own),
                         [&](const Row& row) { return row.curve == curve; });
    return own;
}

ScalingTables of_curve(const ScalingTables& all, const std::string& curve) {
    return {of_curve(all.curves, curve), of_curve(all.points, curve),
            of_curve(all.gap, curve),    of_curve(all.changes, curve),
            of_curve(all.fits, curve),   of_curve(all.findings, curve)};
}

std::vector<std::string> names_of(const std::vector<ScalingRow>& points) {
    std::vector<std::string> names;
    for (const ScalingRow& point : points) {
        if (std::ranges::find(names, point.curve) == names.end()) names.push_back(point.curve);
    }
    return names;
}

bool same_points(const ShownCurve& one, const ShownCurve& other) {
    return std::ranges::equal(one.tables.points, other.tables.points,
                              [](const ScalingRow& a, const ScalingRow& b) {
                                  return a.ranks == b.ranks && a.tokens_per_s == b.tokens_per_s;
                              });
}

void rename(ShownCurve& curve, const std::string& name) {
    const auto rename_rows = [&](auto& rows) {
        for (auto& row : rows) row.curve = name;
    };
    rename_rows(curve.tables.curves);
    rename_rows(curve.tables.points);
    rename_rows(curve.tables.gap);
    rename_rows(curve.tables.changes);
    rename_rows(curve.tables.fits);
    rename_rows(curve.tables.findings);
    curve.name = name;
}

/// Of records of versions that wrote no findings: that which every curve has.
std::string efficiency_finding(const ShownCurve& curve) {
    const auto& points = curve.tables.points;
    const ScalingRow& last = points.back();
    return fmt::format("{}: from {} to {} the efficiency is {} (95 % interval {}){}.", curve.name,
                       plural(points.front().ranks, "rank"), plural(last.ranks, "rank"),
                       percent_text(last.efficiency),
                       estimate_range_text(last.efficiency_low, last.efficiency_high, percent_text),
                       points.front().disturbed > 0.0 || last.disturbed > 0.0
                           ? ", which cannot be judged: disturbed"
                           : "");
}

/// Of a record of `scale`.
std::vector<ShownCurve> curves_in(const Source& source) {
    std::vector<ShownCurve> shown;
    const ScalingTables all = scaling_tables(source);
    for (const std::string& name : names_of(all.points)) {
        ShownCurve& curve =
            shown.emplace_back(name, of_curve(all, name), std::vector<const Source*>{&source});
        if (!curve.tables.findings.empty()) continue;
        curve.tables.findings.push_back({name, efficiency_finding(curve)});
    }
    return shown;
}

}  // namespace

bool ShownCurve::is_paced() const {
    return std::ranges::any_of(tables.curves,
                               [](const ScalingCurveRow& row) { return row.paced > 0.0; });
}

bool ShownCurve::has_parts() const {
    return std::ranges::all_of(
        tables.points, [](const ScalingRow& point) { return std::isfinite(point.parts_s); });
}

std::vector<std::string> ShownCurve::parts() const {
    std::vector<std::string> names;
    for (const ScalingGapRow& row : tables.gap) {
        if (std::ranges::find(names, row.part) == names.end()) names.push_back(row.part);
    }
    return names;
}

const ScalingGapRow* ShownCurve::part(const ScalingRow& point, const std::string& wanted) const {
    const auto found = std::ranges::find_if(tables.gap, [&](const ScalingGapRow& row) {
        return row.ranks == point.ranks && row.part == wanted;
    });
    return found == tables.gap.end() ? nullptr : &*found;
}

std::vector<ShownCurve> shown_curves(const std::vector<ScalingCurve>& curves) {
    std::vector<ShownCurve> shown;
    for (const ScalingCurve& curve : curves) {
        ShownCurve& one =
            shown.emplace_back(curve.name(), scaling_tables({curve}), std::vector<const Source*>{});
        for (const ScalingPoint& point : curve.points) {
            one.from.insert(one.from.end(), point.from.begin(), point.from.end());
        }
    }
    return shown;
}

std::vector<ShownCurve> shown_curves(const std::vector<Source>& sources) {
    auto shown = shown_curves(scaling_curves(sources));
    for (const Source* source : with_rows<ScalingRow>(sources)) {
        for (ShownCurve& curve : curves_in(*source)) {
            const auto is_named_so = [&](const auto& one) { return one.name == curve.name; };
            const auto is_it = [&](const auto& one) {
                return is_named_so(one) && same_points(one, curve);
            };
            if (std::ranges::any_of(shown, is_it)) continue;
            if (std::ranges::any_of(shown, is_named_so)) {
                rename(curve, fmt::format("{} ({})", curve.name, source->file()));
            }
            shown.push_back(std::move(curve));
        }
    }
    return shown;
}

}  // namespace shardstone::results
