// SPDX-License-Identifier: BSD-3-Clause
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

#include "results/format/rival.hpp"
#include "results/report/system.hpp"
#include "results/report/words.hpp"

namespace shardstone::results {

namespace {

/// What of the environment changes how an MPI library communicates.
std::string communication_settings(const Source& source) {
    constexpr std::array<std::string_view, 5> prefixes{"UCX_", "MPIR_", "MPICH_", "OMPI_", "FI_"};
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

}  // namespace

bool has_interval(const CollectiveRow& point) {
    return std::isfinite(point.time_low_s) && std::isfinite(point.time_high_s);
}

bool has_prediction(const CollectiveRow& point) {
    return std::isfinite(point.predicted_s) && point.predicted_s > 0.0;
}

double predicted_busbw_gb_s(const CollectiveRow& point) {
    return point.busbw_gb_s * point.time_s / point.predicted_s;
}

std::vector<std::string> Sweep::algorithms() const {
    std::vector<std::string> names;
    for (const auto& point : points) {
        if (std::ranges::find(names, point.algorithm) == names.end()) {
            names.push_back(point.algorithm);
        }
    }
    return names;
}

std::vector<double> Sweep::sizes() const {
    std::set<double> sizes;
    for (const auto& point : points) sizes.insert(point.size_bytes);
    return {sizes.begin(), sizes.end()};
}

std::vector<CollectiveRow> Sweep::of(const std::string& algorithm) const {
    std::vector<CollectiveRow> found;
    for (const auto& point : points) {
        if (point.algorithm == algorithm) found.push_back(point);
    }
    std::ranges::sort(found, {}, &CollectiveRow::size_bytes);
    return found;
}

const CollectiveRow* Sweep::find(const std::string& algorithm, double size_bytes) const {
    for (const auto& point : points) {
        if (point.algorithm == algorithm && point.size_bytes == size_bytes) return &point;
    }
    return nullptr;
}

const CollectiveRow* Sweep::fastest_of_ours(double size_bytes) const {
    const CollectiveRow* best = nullptr;
    for (const auto& point : points) {
        if (is_rival(point.algorithm) || point.algorithm == "auto") continue;
        if (point.size_bytes != size_bytes) continue;
        if (best == nullptr || point.time_s < best->time_s) best = &point;
    }
    return best;
}

std::string Sweep::title() const {
    std::string name = operation;
    std::ranges::replace(name, '_', '-');
    if (!name.empty())
        name[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(name[0])));
    return fmt::format("{} on {}{}", name, plural(ranks, "rank"),
                       in_place != 0.0 ? "" : ", out of place");
}

std::string Sweep::comparable() const {
    return fmt::format("{}|{}|{}|{}|{}|{}", machine_of(*source), operation, in_place, ranks,
                       setting_text(*source, "type", "fp32"),
                       setting_text(*source, "topology", ""));
}

std::vector<Sweep> sweeps_of(const std::vector<Source>& sources) {
    std::vector<std::string> operations;
    std::vector<Sweep> sweeps;
    for (const Source* source : with_rows<CollectiveRow>(sources)) {
        std::map<std::tuple<std::string, double, double>, Sweep> parts;
        for (auto& row : rows<CollectiveRow>(*source)) {
            if (std::ranges::find(operations, row.operation) == operations.end()) {
                operations.push_back(row.operation);
            }
            Sweep& sweep = parts[{row.operation, row.in_place, row.ranks}];
            if (sweep.source == nullptr)
                sweep = {source, row.operation, row.in_place, row.ranks, {}};
            sweep.points.push_back(std::move(row));
        }
        for (auto& [key, sweep] : parts) sweeps.push_back(std::move(sweep));
    }
    std::ranges::stable_sort(sweeps, {}, [&](const Sweep& sweep) {
        return std::pair(std::ranges::find(operations, sweep.operation) - operations.begin(),
                         sweep.ranks);
    });
    return sweeps;
}

std::string Rival::name() const {
    const std::string library = point->algorithm == "nccl" ? "NCCL's own" : "MPI's own";
    return library + " with " + communication_settings(*source);
}

Rival best_rival(const std::vector<Sweep>& sweeps, const Sweep& sweep, double size_bytes) {
    Rival best;
    for (const Sweep& other : sweeps) {
        if (other.comparable() != sweep.comparable()) continue;
        for (const auto& point : other.points) {
            if (!is_rival(point.algorithm) || point.size_bytes != size_bytes) continue;
            if (best.point == nullptr || point.time_s < best.point->time_s) {
                best = {&point, other.source};
            }
        }
    }
    return best;
}

}  // namespace shardstone::results
