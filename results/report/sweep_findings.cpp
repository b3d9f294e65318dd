// SPDX-License-Identifier: BSD-3-Clause
#include "results/report/sweep_findings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "kernels/base/statistics.hpp"
#include "results/report/rows_table.hpp"
#include "results/report/system.hpp"
#include "results/report/words.hpp"

namespace shardstone::results {

namespace {

bool are_apart(const CollectiveRow& a, const CollectiveRow& b) {
    return has_interval(a) && has_interval(b) &&
           (a.time_high_s < b.time_low_s || b.time_high_s < a.time_low_s);
}

std::string time_of(const CollectiveRow& point) {
    return time_with_interval(point.time_s, point.time_low_s, point.time_high_s) +
           disturbance_note(is_disturbed(point));
}

void add_size_finding(const std::vector<Sweep>& sweeps, const Sweep& sweep, double size,
                      Section& section) {
    const CollectiveRow* ours = sweep.find("auto", size);
    if (ours == nullptr) return;
    std::string text = fmt::format("{}, {}: `auto` takes {}, a bus bandwidth of {}", sweep.title(),
                                   size_text(size), time_of(*ours), rate_text(ours->busbw_gb_s));
    if (const Rival rival = best_rival(sweeps, sweep, size); rival.point != nullptr) {
        text += fmt::format("; {} takes {}: `auto` is {}", rival.name(), time_of(*rival.point),
                            advantage(*ours, *rival.point));
    }
    section.findings.push_back(text + crowding_note(*sweep.source, sweep.ranks) + ".");
}

void add_tiles(const Sweep& sweep, double least, double greatest, Section& section) {
    if (const CollectiveRow* ours = sweep.find("auto", least)) {
        section.tiles.push_back(
            {time_text(ours->time_s), fmt::format("{}, {}", sweep.title(), size_text(least))});
    }
    if (const CollectiveRow* ours = sweep.find("auto", greatest)) {
        section.tiles.push_back(
            {rate_text(ours->busbw_gb_s),
             fmt::format("bus bandwidth, {}, {}", sweep.title(), size_text(greatest))});
    }
}

/// How `auto` stands over all sizes.
void add_balance(const std::vector<Sweep>& sweeps, const Sweep& sweep, Section& section) {
    int quicker = 0, slower = 0, undecided = 0;
    double worst = INFINITY, worst_size = 0.0;
    for (const double size : sweep.sizes()) {
        const CollectiveRow* ours = sweep.find("auto", size);
        const Rival rival = best_rival(sweeps, sweep, size);
        if (ours == nullptr || rival.point == nullptr) continue;
        const double ratio = rival.point->time_s / ours->time_s;
        if (ratio < worst) {
            worst = ratio;
            worst_size = size;
        }
        ++(!are_apart(*ours, *rival.point) ? undecided : ratio > 1.0 ? quicker : slower);
    }
    const int all = quicker + slower + undecided;
    if (all < 2) return;
    section.findings.push_back(fmt::format(
        "{}: of {}, `auto` is quicker than the library's own at {}, slower at {}, and not told "
        "apart at {}; where it stands worst, at {}, it takes {} times the library's time{}.",
        sweep.title(), plural(all, "size"), quicker, slower, undecided, size_text(worst_size),
        digits_text(1.0 / worst, 3), crowding_note(*sweep.source, sweep.ranks)));
}

void add_model_finding(const Sweep& sweep, Section& section) {
    std::vector<double> factors;
    for (const auto& point : sweep.points) {
        if (has_prediction(point))
            factors.push_back(factor_apart(point.time_s / point.predicted_s));
    }
    if (factors.empty()) return;
    section.findings.push_back(fmt::format(
        "{}: the cost model is off by a factor of {} in the median of its {}, and of {} at worst.",
        sweep.title(), digits_text(median(factors), 3),
        plural(static_cast<double>(factors.size()), "prediction"),
        digits_text(std::ranges::max(factors), 3)));
}

}  // namespace

std::string advantage(const CollectiveRow& ours, const CollectiveRow& rival) {
    const double ratio = rival.time_s / ours.time_s;
    const std::string factor = fmt::format("{} times {}", digits_text(factor_apart(ratio), 3),
                                           ratio >= 1.0 ? "quicker" : "slower");
    return are_apart(ours, rival) ? factor : factor + ", within the uncertainty";
}

void add_sweep_findings(const std::vector<Sweep>& sweeps, const Sweep& sweep, Section& section) {
    const auto points = sweep.of("auto");
    if (points.empty()) {
        section.findings.push_back(fmt::format(
            "{}: the record '{}' did not run `auto`, so nothing leads here; what each algorithm "
            "takes is in the tables.",
            sweep.title(), sweep.source->file()));
    } else {
        const double least = points.front().size_bytes;
        const double greatest = points.back().size_bytes;
        add_size_finding(sweeps, sweep, least, section);
        if (greatest > least) add_size_finding(sweeps, sweep, greatest, section);
        add_balance(sweeps, sweep, section);
        add_tiles(sweep, least, greatest, section);
    }
    add_model_finding(sweep, section);
}

}  // namespace shardstone::results
