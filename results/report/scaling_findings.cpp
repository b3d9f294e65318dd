// SPDX-License-Identifier: BSD-3-Clause
// What is to be said of a scaling curve: efficiency, losses, replays, predictions and models.
#include "results/report/scaling_findings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "results/report/prediction_words.hpp"
#include "results/report/scaling_fit.hpp"
#include "results/report/scaling_rows.hpp"
#include "results/report/words.hpp"

namespace shardstone::results {

namespace {

/// What would be on these ranks if one thing were different; "" if no record says so.
std::string changes_words(const ScalingCurve& curve, const ScalingPoint& point) {
    std::vector<std::string> words;
    for (const ScalingChangeRow& one : change_rows(curve, point)) {
        words.push_back(fmt::format("{} times with {}{}", digits_text(one.ratio, 3), one.change,
                                    one.detail.empty() ? "" : " (" + one.detail + ")"));
    }
    if (words.empty()) return "";
    return fmt::format("{}: by replay, not measured, the rate on {} would be {}.", curve.name(),
                       plural(point.ranks, "rank"), listed(words));
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

/// Whether the parts of a disturbed point do not add up: what other processes take lies in none.
bool is_mismatched(const ScalingPoint& point) {
    return point.is_disturbed() && point.split.is_there() &&
           !parts_add_up(point.split.parts_s(), point.split.step_s);
}

/// What no verdict is drawn on since points are disturbed, in a sentence behind a blank; "" if
/// there is nothing besides the efficiency.
std::string unjudged_words(const ScalingCurve& curve, const std::vector<ScalingFit>& fits) {
    if (!curve.is_disturbed()) return "";
    const ScalingPoint& last = curve.points.back();
    std::vector<std::string> unjudged;
    if (last.is_disturbed() && !last.split.changed.empty()) {
        unjudged.push_back("what replays would make of the rate");
    }
    for (const ScalingPoint& point : curve.points) {
        if (!is_mismatched(point)) continue;
        unjudged.push_back(fmt::format(
            "the parts of a step on {} (their sum is {}, while it took {} by the trainings' own "
            "clock)",
            plural(point.ranks, "rank"), time_text(point.split.parts_s()),
            time_text(point.split.step_s)));
    }
    if (!fits.empty()) {
        unjudged.push_back(fmt::format(
            "what {} from fewer ranks",
            fits.size() == 1 ? "a model predicts" : fmt::format("{} models predict", fits.size())));
    }
    if (unjudged.empty()) return "";
    return fmt::format(
        " From disturbed points no verdict is drawn on {}; the report's tables have the figures.",
        listed(unjudged));
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
        return measured + " (single runs: no interval)";
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

}  // namespace

std::vector<std::string> scaling_findings(const ScalingCurve& curve) {
    const ScalingPoint& last = curve.points.back();
    const auto fits = scaling_fits(curve);
    std::vector<std::string> findings{fmt::format(
        "{}: from {} to {} the efficiency is {}{}.{}", curve.name(),
        plural(curve.base().ranks, "rank"), plural(last.ranks, "rank"),
        efficiency_words(curve, last), superlinear_words(curve, last) + losses_words(curve, last),
        unjudged_words(curve, fits))};
    const auto add = [&](std::string words) {
        if (!words.empty()) findings.push_back(std::move(words));
    };
    if (!last.is_disturbed()) add(changes_words(curve, last));
    add(basis_words(curve));
    add(builds_words(curve));
    for (const ScalingPoint& point : curve.points) {
        add(unsplit_words(curve, point));
        add(prediction_words(curve, point));
    }
    if (curve.is_disturbed()) return findings;
    for (const ScalingFit& fit : fits) {
        add(fmt::format("{}: from fewer ranks {} ({}) predicts {} on {}, {}.", curve.name(),
                        fit.model, fit.parameters, tokens_rate_text(fit.rate),
                        plural(last.ranks, "rank"), verdict_words(fit, last)));
    }
    return findings;
}

}  // namespace shardstone::results
