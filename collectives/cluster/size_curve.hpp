// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace shardstone::collectives {

struct SizeTime {
    std::int64_t size_bytes = 0;
    double time_s = 0.0;

    bool operator==(const SizeTime&) const = default;
};

/// Measured times at increasing sizes, interpolated linearly. One line from end to end, alpha + n
/// beta, is the usual model; but protocol changes of the library and cache limits each add a bend.
class SizeCurve {
  public:
    SizeCurve() = default;
    /// Sizes are positive and ascend, times are positive. Throws Error otherwise.
    explicit SizeCurve(std::vector<SizeTime> points);

    bool empty() const noexcept { return points_.empty(); }
    const std::vector<SizeTime>& points() const noexcept { return points_; }

    /// Below the first point its time; beyond the last, extrapolated with the mean slope from the
    /// first to the last. Precondition: not empty.
    double time_s(std::int64_t size_bytes) const;

    bool operator==(const SizeCurve&) const = default;

  private:
    std::vector<SizeTime> points_;
};

/// Measured times of a collective without a schedule on this many ranks, over the size of its
/// vector.
struct MeasuredCollective {
    std::string operation;
    std::string algorithm;
    int ranks = 1;
    SizeCurve measured;

    bool operator==(const MeasuredCollective&) const = default;
};

}  // namespace shardstone::collectives
