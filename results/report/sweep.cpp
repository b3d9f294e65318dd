// SPDX-License-Identifier: BSD-3-Clause
// The points of one collective sweep, the curves to draw of it, and the best rival at each size.
#include "results/report/sweep.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <map>
#include <set>
#include <string_view>
#include <tuple>

#include "results/record/rival.hpp"
#include "results/report/machine_peaks.hpp"
#include "results/report/rows_table.hpp"
#include "results/report/system.hpp"
#include "results/report/words.hpp"

namespace shardstone::results {

namespace {

/// What of the environment changes how a library communicates: NCCL, or MPI.
std::string communication_settings(const Source& source, bool is_nccl) {
    const auto prefixes =
        is_nccl ? std::vector<std::string_view>{"NCCL_"}
                : std::vector<std::string_view>{"UCX_", "MPIR_", "MPICH_", "OMPI_", "FI_"};
    std::vector<std::string> settings;
    const auto variables = source.record.environment.value("variables", nlohmann::json::object());
    for (const auto& [name, value] : variables.items()) {
        if (std::ranges::none_of(prefixes, [&](auto prefix) { return name.starts_with(prefix); })) {
            continue;
        }
        settings.push_back(name + "=" +
                           (value.is_string() ? value.get<std::string>() : value.dump()));
    }
    return settings.empty() ? "its default settings" : listed(settings);
}

/// How one of ours stands among all of ours.
struct Standing {
    std::string name;
    int wins = 0;              ///< sizes at which it is the quickest
    double mean_factor = 0.0;  ///< its time over the quickest's, the geometric mean over its sizes
};

Standing standing_of(const ReportedSweep& sweep, const std::string& name) {
    Standing standing{name};
    const auto points = sweep.of(name);
    double logarithms = 0.0;
    for (const auto& point : points) {
        const CollectiveRow* quickest = sweep.fastest_of_ours(point.size_bytes);
        if (quickest->algorithm == name) ++standing.wins;
        logarithms += std::log(point.time_s / quickest->time_s);
    }
    standing.mean_factor = std::exp(logarithms / static_cast<double>(points.size()));
    return standing;
}

/// What of the settings changes what an operation does or what it is measured on. Older records
/// that lack one had no choice.
std::string compared_settings(const Source& source) {
    constexpr std::array<std::pair<const char*, const char*>, 6> settings{{{"type", "fp32"},
                                                                           {"reduction", "sum"},
                                                                           {"root", "0"},
                                                                           {"shares", "even"},
                                                                           {"rotate", "off"},
                                                                           {"topology", ""}}};
    std::string key;
    for (const auto& [name, otherwise] : settings) {
        key += setting_text(source, name, otherwise) + "|";
    }
    return key;
}

}  // namespace

bool has_interval(const CollectiveRow& point) {
    return std::isfinite(point.time_low_s) && std::isfinite(point.time_high_s);
}

bool has_expected(const CollectiveRow& point, double CollectiveRow::*expected_s) {
    return std::isfinite(point.*expected_s) && point.*expected_s > 0.0;
}

double expected_busbw_gb_s(const CollectiveRow& point, double CollectiveRow::*expected_s) {
    return point.busbw_gb_s * point.time_s / point.*expected_s;
}

std::vector<std::string> ReportedSweep::algorithms() const {
    std::vector<std::string> names;
    for (const auto& point : points) {
        if (std::ranges::find(names, point.algorithm) == names.end()) {
            names.push_back(point.algorithm);
        }
    }
    return names;
}

std::vector<std::string> ReportedSweep::drawn() const {
    auto names = algorithms();
    if (names.size() <= most_drawn) return names;
    const auto is_leading = [](const auto& name) { return name == "auto" || is_rival(name); };
    std::vector<Standing> ours;
    for (const auto& name : names) {
        if (!is_leading(name)) ours.push_back(standing_of(*this, name));
    }
    std::ranges::stable_sort(
        ours, {}, [](const Standing& one) { return std::pair(-one.wins, one.mean_factor); });
    const std::size_t leading = names.size() - ours.size();
    ours.resize(std::min(ours.size(), most_drawn - std::min(leading, most_drawn)));
    std::erase_if(names, [&](const std::string& name) {
        return !is_leading(name) && std::ranges::find(ours, name, &Standing::name) == ours.end();
    });
    return names;
}

std::vector<double> ReportedSweep::sizes() const {
    std::set<double> sizes;
    for (const auto& point : points) sizes.insert(point.size_bytes);
    return {sizes.begin(), sizes.end()};
}

std::vector<CollectiveRow> ReportedSweep::of(const std::string& algorithm) const {
    std::vector<CollectiveRow> found;
    for (const auto& point : points) {
        if (point.algorithm == algorithm) found.push_back(point);
    }
    std::ranges::sort(found, {}, &CollectiveRow::size_bytes);
    return found;
}

const CollectiveRow* ReportedSweep::find(const std::string& algorithm, double size_bytes) const {
    for (const auto& point : points) {
        if (point.algorithm == algorithm && point.size_bytes == size_bytes) return &point;
    }
    return nullptr;
}

const CollectiveRow* ReportedSweep::fastest_of_ours(double size_bytes) const {
    const CollectiveRow* best = nullptr;
    for (const auto& point : points) {
        if (is_rival(point.algorithm) || point.algorithm == "auto") continue;
        if (point.size_bytes != size_bytes) continue;
        if (best == nullptr || point.time_s < best->time_s) best = &point;
    }
    return best;
}

std::string ReportedSweep::title() const {
    std::string name = operation;
    std::ranges::replace(name, '_', '-');
    if (!name.empty())
        name[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(name[0])));
    return fmt::format("{} on {}{}", name, plural(ranks, "rank"),
                       in_place != 0.0 ? "" : ", out of place");
}

std::string ReportedSweep::comparable() const {
    return fmt::format("{}|{}|{}|{}|{}", machine_of(*source), operation, in_place, ranks,
                       compared_settings(*source));
}

std::vector<ReportedSweep> sweeps_of(const std::vector<Source>& sources) {
    std::vector<std::string> operations;
    std::vector<ReportedSweep> sweeps;
    for (const Source* source : with_rows<CollectiveRow>(sources)) {
        std::map<std::tuple<std::string, double, double>, ReportedSweep> parts;
        for (auto& row : rows<CollectiveRow>(*source)) {
            if (std::ranges::find(operations, row.operation) == operations.end()) {
                operations.push_back(row.operation);
            }
            ReportedSweep& sweep = parts[{row.operation, row.in_place, row.ranks}];
            if (sweep.source == nullptr)
                sweep = {source, row.operation, row.in_place, row.ranks, {}};
            sweep.points.push_back(std::move(row));
        }
        const std::string change = peak_change(*source, sources);
        for (auto& [key, sweep] : parts) {
            sweep.machine_change = change;
            sweeps.push_back(std::move(sweep));
        }
    }
    std::ranges::stable_sort(sweeps, {}, [&](const ReportedSweep& sweep) {
        return std::pair(std::ranges::find(operations, sweep.operation) - operations.begin(),
                         sweep.ranks);
    });
    return sweeps;
}

std::string Rival::name() const {
    const bool is_nccl = point->algorithm == "nccl";
    return fmt::format("{} own with {}", is_nccl ? "NCCL's" : "MPI's",
                       communication_settings(*source, is_nccl));
}

/// An undisturbed point before a disturbed one, then the quicker.
bool is_better(const CollectiveRow& point, const CollectiveRow& than) {
    return std::pair(is_disturbed(point), point.time_s) <
           std::pair(is_disturbed(than), than.time_s);
}

Rival best_rival(const std::vector<ReportedSweep>& sweeps, const ReportedSweep& sweep,
                 double size_bytes) {
    Rival best;
    for (const ReportedSweep& other : sweeps) {
        if (other.comparable() != sweep.comparable()) continue;
        for (const auto& point : other.points) {
            if (!is_rival(point.algorithm) || point.size_bytes != size_bytes) continue;
            if (best.point == nullptr || is_better(point, *best.point)) {
                best = {&point, other.source};
            }
        }
    }
    return best;
}

}  // namespace shardstone::results
