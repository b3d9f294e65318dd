// SPDX-License-Identifier: BSD-3-Clause
// Measured times by message size, with straight lines between the sizes and beyond the last.
#include "collectives/cluster/size_curve.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "kernels/base/error.hpp"

namespace shardstone::collectives {

namespace {

double slope_s_per_byte(const SizeTime& from, const SizeTime& to) {
    return (to.time_s - from.time_s) / static_cast<double>(to.size_bytes - from.size_bytes);
}

}  // namespace

SizeCurve::SizeCurve(std::vector<SizeTime> points) : points_(std::move(points)) {
    std::int64_t previous = 0;
    for (const SizeTime& point : points_) {
        require(point.size_bytes > previous && point.time_s > 0.0, [&] {
            return fmt::format(
                "a measured curve has {} s at {} bytes: sizes must grow and times be positive",
                point.time_s, point.size_bytes);
        });
        previous = point.size_bytes;
    }
}

double SizeCurve::time_s(std::int64_t size_bytes) const {
    const auto next = std::ranges::lower_bound(points_, size_bytes, {}, &SizeTime::size_bytes);
    if (next == points_.begin()) return next->time_s;
    const SizeTime& last = points_.back();
    if (next == points_.end()) {
        const double slope =
            points_.size() > 1 ? std::max(0.0, slope_s_per_byte(points_.front(), last)) : 0.0;
        return last.time_s + slope * static_cast<double>(size_bytes - last.size_bytes);
    }
    const SizeTime& before = *std::prev(next);
    return before.time_s +
           slope_s_per_byte(before, *next) * static_cast<double>(size_bytes - before.size_bytes);
}

}  // namespace shardstone::collectives
