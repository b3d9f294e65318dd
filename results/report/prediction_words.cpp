// SPDX-License-Identifier: BSD-3-Clause
// What the predictions of a scaling curve were made from, and where its runs differ in that.
#include "results/report/prediction_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "results/report/system.hpp"
#include "results/report/words.hpp"

namespace shardstone::results {

namespace {

double predicted_step_s(const Source& source) {
    double sum_s = 0.0;
    for (const GapRow& part : rows<GapRow>(source)) sum_s += part.predicted_s;
    return sum_s;
}

/// What computes in a prediction: a core for every rank, however many share one in the run.
std::string device_words(const ScalingPoint& point) {
    const Source& source = *point.from.front();
    if (is_paced(source)) return "the device of each rank";
    return "a core of its own for each rank, at the rates measured in its run" +
           crowding_note(source, point.ranks);
}

}  // namespace

std::string prediction_words(const ScalingCurve& curve, const ScalingPoint& point) {
    double least_s = INFINITY, most_s = 0.0;
    for (const Source* run : point.from) {
        const double predicted_s = predicted_step_s(*run);
        if (!(predicted_s > 0.0)) continue;
        least_s = std::min(least_s, predicted_s);
        most_s = std::max(most_s, predicted_s);
    }
    // Rates that each run measures for itself differ by some percent, which is no other basis.
    constexpr double most_apart = 1.1;
    if (!(most_s > most_apart * least_s)) return "";
    return fmt::format(
        "{}: on {} its runs were predicted from different descriptions or rates, to take {} to {}; "
        "the prediction shown is their mean.",
        curve.name(), plural(point.ranks, "rank"), time_text(least_s), time_text(most_s));
}

std::string basis_words(const ScalingCurve& curve) {
    std::set<std::string> bases;
    for (const Source* run : curve.runs) {
        const auto& settings = run->record.configuration;
        const auto found = settings.find("prediction");
        if (found == settings.end()) continue;
        bases.insert(
            fmt::format("{} ({})", found->value("cluster", ""), found->value("source", "")));
    }
    if (bases.empty()) return "";
    return fmt::format("{}: predicted from links of {}, with {}.", curve.name(),
                       listed(std::vector<std::string>(bases.begin(), bases.end())),
                       device_words(curve.points.back()));
}

}  // namespace shardstone::results
