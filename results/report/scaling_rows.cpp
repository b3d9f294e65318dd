// SPDX-License-Identifier: BSD-3-Clause
// Scaling curves as rows of tables, as checks, and in words.
#include "results/report/scaling_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "results/report/prediction_words.hpp"
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

/// What would be on these ranks if one thing were different; "" if no record says so.
std::string changes_words(const ScalingCurve& curve, const ScalingPoint& point) {
    std::vector<std::string> words;
    for (const ScalingChangeRow& one : change_rows(curve, point)) {
        words.push_back(fmt::format("{} times with {}{}", digits_text(one.ratio, 3), one.change,
                                    one.detail.empty() ? "" : " (" + one.detail + ")"));
    }
    if (words.empty()) return "";
    return fmt::format("{}: by replay, not measured, the rate on {} would be {}{}.", curve.name(),
                       plural(point.ranks, "rank"), listed(words),
                       point.is_disturbed() ? "; cannot be judged: disturbed" : "");
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

/// Why there is no interval: "a single run on 4 ranks counts, 2 others were disturbed".
std::string single_words(const ScalingPoint& point) {
    const auto others = static_cast<double>(point.left_out);
    return fmt::format(
        "a single run on {}{}", plural(point.ranks, "rank"),
        point.left_out == 0
            ? ""
            : fmt::format(" counts, {} disturbed", plural(others, "other was", "others were")));
}

/// Ranks that share cores cannot be as efficient as fewer: who reads the figure should know.
std::string crowding_words(const ScalingPoint& point) {
    const Source& source = *point.from.front();
    return is_paced(source) ? "" : crowding_note(source, point.ranks);
}

std::string efficiency_words(const ScalingCurve& curve, const ScalingPoint& point) {
    const Interval range = curve.efficiency_range(point);
    std::vector<std::string> single;
    for (const ScalingPoint* one : {&curve.base(), &point}) {
        if (one->rates.size() < 2) single.push_back(single_words(*one));
    }
    const bool is_disturbed = curve.base().is_disturbed() || point.is_disturbed();
    return fmt::format("{} ({}){}", percent_text(curve.efficiency(point)),
                       single.empty() ? "95 % interval " +
                                            estimate_range_text(range.low, range.high, percent_text)
                                      : "no interval: " + listed(single),
                       is_disturbed ? ", which cannot be judged: disturbed" : "") +
           crowding_words(point);
}

/// Whether a point's parts are what the same steps took by the trainings' own clock: besides the
/// actions of its program, which are replayed, a step has nothing but our own bookkeeping.
bool parts_add_up(double parts_s, double split_step_s) {
    return std::abs(parts_s / split_step_s - 1.0) <= 0.02;
}

/// The three parts of a step that grew most, as shares of the steps that were split, or with sign
/// -1 shrank most, as shares of the base's step at equal work: "3.2 % input and 1.1 % latency".
std::string largest_changes(const ScalingCurve& curve, const ScalingPoint& point, double sign) {
    auto parts = gap_rows(curve, point);
    double whole_s = point.split.step_s;
    for (const auto& row : parts) whole_s -= sign < 0.0 ? row.lost_s : 0.0;
    std::erase_if(parts, [&](const auto& row) { return !(sign * row.lost_s > 0.01 * whole_s); });
    std::ranges::sort(parts, std::greater<>(), [&](const auto& row) { return sign * row.lost_s; });
    if (parts.size() > 3) parts.resize(3);
    std::vector<std::string> words;
    for (const auto& row : parts) {
        words.push_back(fmt::format("{} {}", percent_text(sign * row.lost_s / whole_s), row.part));
    }
    return listed(words);
}

std::string losses_words(const ScalingCurve& curve, const ScalingPoint& point) {
    const auto words = largest_changes(curve, point, 1.0);
    return words.empty()
               ? ""
               : fmt::format(
                     "; of the steps that were split {} are beyond the base's at equal work",
                     words);
}

/// Why a rank does its work faster than on the base's ranks, if that is beyond the interval and the
/// machine was not busy.
std::string superlinear_words(const ScalingCurve& curve, const ScalingPoint& point) {
    const Interval range = curve.efficiency_range(point);
    if (!(range.low > 1.0) || curve.base().is_disturbed() || point.is_disturbed()) return "";
    const auto words = largest_changes(curve, point, -1.0);
    return "; that is superlinear: of the base's step at equal work the steps that were split "
           "save " +
           (words.empty() ? "what the records do not split (--explain)" : words);
}

/// That the parts of a disturbed point do not add up: what other processes take lies in no part.
std::string mismatch_words(const ScalingCurve& curve, const ScalingPoint& point) {
    if (!point.is_disturbed() || !point.split.is_there() ||
        parts_add_up(point.split.parts_s(), point.split.step_s)) {
        return "";
    }
    return fmt::format(
        "{}: on {} the parts of a step add up to {}, while it took {} by the trainings' own clock: "
        "cannot be judged: disturbed.",
        curve.name(), plural(point.ranks, "rank"), time_text(point.split.parts_s()),
        time_text(point.split.step_s));
}

/// Which runs have no part in a point's parts; "" where no run of the curve was split.
std::string unsplit_words(const ScalingCurve& curve, const ScalingPoint& point) {
    if (point.split.without.empty() || curve.parts().empty()) return "";
    std::vector<std::string> names;
    for (const Source* source : point.split.without) names.push_back(source->name);
    return fmt::format("{}: on {} the parts of a step are of {} of {}, without {} (no --explain).",
                       curve.name(), plural(point.ranks, "rank"), point.split_runs(),
                       plural(static_cast<double>(point.rates.size()), "run"), listed(names));
}

std::string verdict_words(const ScalingFit& fit, const ScalingPoint& last) {
    const std::string measured = "measured are " + tokens_rate_text(last.rate);
    if (fit.verdict == FitVerdict::no_interval) {
        return fmt::format("{} (single runs: no interval{})", measured,
                           last.is_disturbed() ? "; disturbed" : "");
    }
    const auto words = [&]() -> std::string {
        switch (fit.verdict) {
            case FitVerdict::held:
                return "which lies in it";
            case FitVerdict::missed:
                return "which does not lie in it";
            default:
                return "which " + to_string(fit.verdict);
        }
    }();
    return fmt::format("95 % interval {}: {}, {}",
                       estimate_range_text(fit.interval.low, fit.interval.high, count_text),
                       measured, words);
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

ScalingTables scaling_tables(const std::vector<ScalingCurve>& curves) {
    ScalingTables tables;
    for (const ScalingCurve& curve : curves) {
        for (const ScalingPoint& point : curve.points) {
            tables.points.push_back(row_of(curve, point));
            for (auto& row : gap_rows(curve, point)) tables.gap.push_back(std::move(row));
            for (auto& row : change_rows(curve, point)) tables.changes.push_back(std::move(row));
        }
        for (auto& row : fit_rows(curve)) tables.fits.push_back(std::move(row));
    }
    return tables;
}

void fill_record(const std::vector<ScalingCurve>& curves, Record& record) {
    const ScalingTables tables = scaling_tables(curves);
    record.derived = {table_of(tables.points), table_of(tables.gap), table_of(tables.changes),
                      table_of(tables.fits)};
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

std::vector<std::string> scaling_findings(const ScalingCurve& curve) {
    const ScalingPoint& last = curve.points.back();
    std::vector<std::string> findings{fmt::format(
        "{}: from {} to {} the efficiency is {}{}.", curve.name(),
        plural(curve.base().ranks, "rank"), plural(last.ranks, "rank"),
        efficiency_words(curve, last), superlinear_words(curve, last) + losses_words(curve, last))};
    if (auto words = changes_words(curve, last); !words.empty()) {
        findings.push_back(std::move(words));
    }
    for (auto& words : {basis_words(curve), builds_words(curve)}) {
        if (!words.empty()) findings.push_back(words);
    }
    for (const ScalingPoint& point : curve.points) {
        for (auto& words : {unsplit_words(curve, point), mismatch_words(curve, point),
                            prediction_words(curve, point)}) {
            if (!words.empty()) findings.push_back(words);
        }
    }
    for (const ScalingFit& fit : scaling_fits(curve)) {
        findings.push_back(fmt::format("{}: from fewer ranks {} ({}) predicts {} on {}, {}.",
                                       curve.name(), fit.model, fit.parameters,
                                       tokens_rate_text(fit.rate), plural(last.ranks, "rank"),
                                       verdict_words(fit, last)));
    }
    return findings;
}

}  // namespace shardstone::results
