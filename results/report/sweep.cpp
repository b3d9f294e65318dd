// SPDX-License-Identifier: BSD-3-Clause
#include "results/report/sweep.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "results/format/rival.hpp"
#include "results/report/words.hpp"

namespace shardstone::results {

bool SweepPoint::has_interval() const {
    return std::isfinite(low_s) && std::isfinite(high_s);
}

bool SweepPoint::has_prediction() const {
    return std::isfinite(predicted_s) && predicted_s > 0.0;
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

std::vector<SweepPoint> Sweep::of(const std::string& algorithm) const {
    std::vector<SweepPoint> found;
    for (const auto& point : points) {
        if (point.algorithm == algorithm) found.push_back(point);
    }
    std::ranges::sort(found, {}, &SweepPoint::size_bytes);
    return found;
}

const SweepPoint* Sweep::quickest(double size_bytes, bool of_rivals) const {
    const SweepPoint* best = nullptr;
    for (const auto& point : points) {
        if (is_rival(point.algorithm) != of_rivals || point.size_bytes != size_bytes) continue;
        if (best == nullptr || point.time_s < best->time_s) best = &point;
    }
    return best;
}

std::string Sweep::title(bool several) const {
    const std::string count = plural(ranks, "rank");
    return several ? count + ", " + source->record.identity.value("title", "") : count;
}

std::vector<Sweep> sweeps_of(const std::vector<Source>& sources) {
    constexpr const char* table = "all_reduce";
    std::vector<Sweep> sweeps;
    for (const Source* source : with_table(sources, table)) {
        const auto column = [&](const char* name) -> const std::vector<double>& {
            return numbers(*source, table, name);
        };
        const auto& algorithm = texts(*source, table, "algorithm");
        const auto& ranks = column("ranks");
        std::map<double, Sweep> by_ranks;
        for (std::size_t i = 0; i < ranks.size(); ++i) {
            Sweep& sweep = by_ranks[ranks[i]];
            sweep.source = source;
            sweep.ranks = ranks[i];
            sweep.points.push_back({algorithm[i], column("size_bytes")[i], column("time_s")[i],
                                    column("time_low_s")[i], column("time_high_s")[i],
                                    column("busbw_gb_s")[i], column("predicted_s")[i]});
        }
        for (auto& [count, sweep] : by_ranks) sweeps.push_back(std::move(sweep));
    }
    return sweeps;
}

}  // namespace shardstone::results
