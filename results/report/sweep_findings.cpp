// SPDX-License-Identifier: BSD-3-Clause
#include "results/report/sweep_findings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "kernels/base/statistics.hpp"
#include "results/format/rival.hpp"
#include "results/report/words.hpp"

namespace shardstone::results {

namespace {

void add_latency_finding(const Sweep& sweep, Section& section) {
    const auto sizes = sweep.sizes();
    const auto smallest = std::ranges::find_if(sizes, [](double size) { return size > 0.0; });
    if (smallest == sizes.end()) return;
    const SweepPoint* ours = sweep.fastest(*smallest);
    const SweepPoint* rival = sweep.rival(*smallest);
    if (ours == nullptr) return;
    std::string text =
        fmt::format("An all-reduce of {} over {} takes {} with {}", size_text(*smallest),
                    plural(sweep.ranks, "rank"),
                    time_with_interval(ours->time_s, ours->low_s, ours->high_s), ours->algorithm);
    if (rival != nullptr) {
        text += fmt::format("; the library's own, {}, takes {}: {}", rival->algorithm,
                            time_with_interval(rival->time_s, rival->low_s, rival->high_s),
                            advantage(*ours, *rival));
    }
    section.findings.push_back(text + ".");
    section.tiles.push_back(
        {time_text(ours->time_s),
         fmt::format("all-reduce of {} on {}", size_text(*smallest), plural(sweep.ranks, "rank"))});
}

void add_bandwidth_finding(const Sweep& sweep, Section& section) {
    const SweepPoint* best = nullptr;
    const SweepPoint* best_rival = nullptr;
    for (const auto& point : sweep.points) {
        auto& place = is_rival(point.algorithm) ? best_rival : best;
        if (std::isfinite(point.busbw_gb_s) &&
            (place == nullptr || point.busbw_gb_s > place->busbw_gb_s)) {
            place = &point;
        }
    }
    if (best == nullptr || best->busbw_gb_s <= 0.0) return;
    std::string text =
        fmt::format("The highest all-reduce bus bandwidth over {} is {}, by {} at {}",
                    plural(sweep.ranks, "rank"), rate_text(best->busbw_gb_s), best->algorithm,
                    size_text(best->size_bytes));
    if (best_rival != nullptr) {
        text += fmt::format("; the library's own, {}, reaches {} at {}", best_rival->algorithm,
                            rate_text(best_rival->busbw_gb_s), size_text(best_rival->size_bytes));
    }
    section.findings.push_back(text + ".");
    section.tiles.push_back(
        {rate_text(best->busbw_gb_s), "bus bandwidth on " + plural(sweep.ranks, "rank")});
}

void add_model_finding(const Sweep& sweep, Section& section) {
    std::vector<double> factors;
    for (const auto& point : sweep.points) {
        if (!point.has_prediction()) continue;
        const double ratio = point.time_s / point.predicted_s;
        factors.push_back(std::max(ratio, 1.0 / ratio));
    }
    if (factors.empty()) return;
    section.findings.push_back(fmt::format(
        "The cost model is off by a factor of {} in the median of its {} over {}, and of {} at "
        "worst.",
        digits_text(median(factors), 3), plural(static_cast<double>(factors.size()), "prediction"),
        plural(sweep.ranks, "rank"), digits_text(std::ranges::max(factors), 3)));
}

}  // namespace

std::string advantage(const SweepPoint& ours, const SweepPoint& rival) {
    const bool apart = ours.has_interval() && rival.has_interval() &&
                       (ours.high_s < rival.low_s || rival.high_s < ours.low_s);
    const double ratio = rival.time_s / ours.time_s;
    const std::string factor = ratio >= 1.0
                                   ? fmt::format("{} times quicker", digits_text(ratio, 3))
                                   : fmt::format("{} times slower", digits_text(1.0 / ratio, 3));
    return apart ? factor : factor + ", within the uncertainty";
}

void add_sweep_findings(const Sweep& sweep, Section& section) {
    add_latency_finding(sweep, section);
    add_bandwidth_finding(sweep, section);
    add_model_finding(sweep, section);
}

}  // namespace shardstone::results
