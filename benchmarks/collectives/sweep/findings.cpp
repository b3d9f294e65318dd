// SPDX-License-Identifier: BSD-3-Clause
// Conclusions after a sweep: ours against the library, prediction errors, what `auto` lost.
#include "benchmarks/collectives/sweep/findings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <span>

#include "benchmarks/collectives/sweep/record_tables.hpp"
#include "benchmarks/harness/stall_record.hpp"
#include "collectives/pricing/choice.hpp"
#include "kernels/base/statistics.hpp"
#include "kernels/base/units.hpp"

namespace shardstone::benchmarks {

namespace {

constexpr const char* undecided = "undecided: the machine was busy";

std::string rival_line(const Sweep& sweep, const Best& best) {
    if (best.ours->disturbed() || best.library->disturbed()) {
        return fmt::format("{} {:>9}{}: {} or {}: {}\n", best.ours->operation,
                           format_size(best.ours->size_bytes),
                           best.ours->in_place ? "" : " out of place", best.ours->algorithm,
                           best.library->algorithm, undecided);
    }
    const double ratio = best.library->measurement.median_s / best.ours->measurement.median_s;
    const NoiseFloor* floor = sweep.floor_of(*best.ours);
    return fmt::format(
        "{} {:>9}{}: {} takes {}, {} {}: {:.3g} times as long{}\n", best.ours->operation,
        format_size(best.ours->size_bytes), best.ours->in_place ? "" : " out of place",
        best.ours->algorithm, format_time(best.ours->measurement.median_s), best.library->algorithm,
        format_time(best.library->measurement.median_s), ratio,
        floor != nullptr && floor->spread.covers(ratio) ? ", within the noise floor" : "");
}

std::string rival_lines(const Sweep& sweep) {
    std::string lines;
    for (std::size_t first = 0; first < sweep.points.size();) {
        const Best best = best_of(sweep.points, first);
        if (best.ours != nullptr && best.library != nullptr && best.ours->ranks > 1) {
            lines += rival_line(sweep, best);
        }
        first += best.points;
    }
    return lines;
}

/// How far the prediction from a schedule was off, as a factor: twice too long and half as long
/// are equally far. As a share of what was measured no prediction could be too short by over 100 %.
std::optional<double> factor_of(const SweepPoint& point) {
    const bool predicted = point.algorithm != collectives::automatic && point.ranks > 1 &&
                           std::isfinite(point.predicted_s);
    if (!predicted) return std::nullopt;
    const double ratio = point.predicted_s / point.measurement.median_s;
    return std::max(ratio, 1.0 / ratio);
}

/// One line for each operation; sizes count alike, whatever they took.
std::string prediction_lines(const Sweep& sweep) {
    std::map<std::string, std::vector<double>> factors;
    for (const SweepPoint& point : sweep.points) {
        const auto factor = factor_of(point);
        if (!factor) continue;
        auto& of_quiet = factors[point.operation];
        if (!point.disturbed()) of_quiet.push_back(*factor);
    }
    std::string lines;
    for (const auto& [operation, of_quiet] : factors) {
        lines += operation + ": ";
        lines += of_quiet.empty() ? undecided + std::string("\n")
                                  : fmt::format("median {:.2f}, largest {:.2f}, of {}\n",
                                                median(of_quiet), std::ranges::max(of_quiet),
                                                counted(std::ssize(of_quiet), "quiet point"));
    }
    return lines.empty() ? ""
                         : "# predicted by schedule versus measured: off by a factor of\n" + lines;
}

/// What the choice at one size took over the best algorithm measured there on the same memory;
/// nothing where nothing was chosen, or there was no choice.
std::optional<double> ratio_of_choice(std::span<const SweepPoint> points) {
    const SweepPoint* choice = nullptr;
    const SweepPoint* best = nullptr;
    for (const SweepPoint& point : points) {
        if (point.algorithm == collectives::automatic) {
            choice = &point;
        } else if (!collectives::find_algorithm(point.operation, point.algorithm).memory.allocate &&
                   (best == nullptr || point.measurement.median_s < best->measurement.median_s)) {
            best = &point;
        }
    }
    if (choice == nullptr || best == nullptr) return std::nullopt;
    return choice->measurement.median_s / best->measurement.median_s;
}

std::string choice_lines(const Sweep& sweep) {
    std::string lines;
    for (std::size_t first = 0; first < sweep.points.size();) {
        const std::size_t points = best_of(sweep.points, first).points;
        if (const auto ratio = ratio_of_choice(std::span(sweep.points).subspan(first, points))) {
            const SweepPoint& point = sweep.points[first];
            const auto of_size = std::span(sweep.points).subspan(first, points);
            lines +=
                fmt::format("{} {:>9}: {}\n", point.operation, format_size(point.size_bytes),
                            std::ranges::any_of(of_size, &SweepPoint::disturbed)
                                ? undecided
                                : fmt::format("{:.2f} times as long as the best measured", *ratio));
        }
        first += points;
    }
    return lines.empty() ? "" : "# choices of auto\n" + lines;
}

}  // namespace

std::string noise_line(const NoiseFloor& floor) {
    return fmt::format(
        "# noise floor at {}: {} against itself is {:.3f} times as long, 95 % of rounds {:.3f} to "
        "{:.3f} ({} rounds of {} iterations each)\n",
        format_size(floor.size_bytes), floor.algorithm, floor.spread.median, floor.spread.range.low,
        floor.spread.range.high, floor.spread.ratios.size(), floor.iterations_per_round);
}

std::string findings(const Sweep& sweep) {
    std::string lines = rival_lines(sweep);
    if (!lines.empty()) lines = "# fastest of our algorithms versus a library's own\n" + lines;
    lines += prediction_lines(sweep) + choice_lines(sweep);
    const auto wrong = std::ranges::count_if(
        sweep.points, [](const SweepPoint& point) { return point.wrong_elements > 0; });
    if (wrong > 0)
        lines += fmt::format("# {} of {} points gave WRONG results\n", wrong, sweep.points.size());
    if (sweep.interrupted) {
        lines += fmt::format("# INCOMPLETE: stopped by a signal after {} of {} points\n",
                             sweep.finished_before + sweep.points.size(), sweep.planned_points);
    }
    std::vector<Surroundings> of_points;
    for (const SweepPoint& point : sweep.points) of_points.push_back(point.watched.surroundings);
    std::vector<results::OutlierRow> stalls;
    for (const SweepPoint& point : sweep.points) {
        std::ranges::copy(outlier_rows(point), std::back_inserter(stalls));
    }
    return lines + stall_note(stalls) + disturbance_note(of_points, "point");
}

}  // namespace shardstone::benchmarks
