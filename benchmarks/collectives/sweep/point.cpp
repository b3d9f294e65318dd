// SPDX-License-Identifier: BSD-3-Clause
// Bandwidths and percentiles of a measured point, and the best of ours and the library at a size.
#include "benchmarks/collectives/sweep/point.hpp"

#include <algorithm>
#include <limits>

#include "collectives/operation/operation.hpp"
#include "results/record/rival.hpp"

namespace shardstone::benchmarks {

namespace {

template <class A, class B>
bool comparable(const A& a, const B& b) {
    return a.operation == b.operation && a.in_place == b.in_place && a.size_bytes == b.size_bytes;
}

}  // namespace

double SweepPoint::bytes_per_s() const {
    return static_cast<double>(size_bytes) / measurement.median_s;
}

double SweepPoint::algbw_gb_s() const {
    // One rank sends nothing.
    return ranks == 1 ? std::numeric_limits<double>::quiet_NaN() : bytes_per_s() * 1e-9;
}

double SweepPoint::busbw_gb_s() const {
    return bytes_per_s() * 1e-9 * collectives::find_operation(operation).bus_factor(ranks);
}

std::optional<double> SweepPoint::percentile_s(double p) const {
    return quantile(measurement.samples_s, p);
}

bool Sweep::passed() const {
    return std::ranges::all_of(
        points, [](const SweepPoint& point) { return point.checked_runs == 0 || point.passed(); });
}

const NoiseFloor* Sweep::floor_of(const SweepPoint& point) const {
    const auto floor =
        std::ranges::find_if(floors, [&](const auto& each) { return comparable(each, point); });
    return floor == floors.end() ? nullptr : &*floor;
}

Best best_of(const std::vector<SweepPoint>& points, std::size_t first) {
    Best best;
    for (std::size_t i = first; i < points.size() && comparable(points[i], points[first]); ++i) {
        const SweepPoint& point = points[i];
        const SweepPoint*& place = results::is_rival(point.algorithm) ? best.library : best.ours;
        if (place == nullptr || point.measurement.median_s < place->measurement.median_s) {
            place = &point;
        }
        ++best.points;
    }
    return best;
}

}  // namespace shardstone::benchmarks
