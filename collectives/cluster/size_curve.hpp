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

/// Measured times of growing sizes, and what lies between them on straight lines. One line from end
/// to end, alpha + n beta, is the usual model; but a library changes its protocol and the data
/// outgrow the caches on the way, and each adds a bend.
class SizeCurve {
  public:
    SizeCurve() = default;
    /// Sizes are positive and ascend, times are positive. Throws Error otherwise.
    explicit SizeCurve(std::vector<SizeTime> points);

    bool empty() const noexcept { return points_.empty(); }
    const std::vector<SizeTime>& points() const noexcept { return points_; }

    /// Below the first point its time; beyond the last, as much per byte as up to there, from the
    /// first. Not empty.
    double time_s(std::int64_t size_bytes) const;

    bool operator==(const SizeCurve&) const = default;

  private:
    std::vector<SizeTime> points_;
};

/// What a collective without a schedule took on so many ranks, over the size of its vector.
struct MeasuredCollective {
    std::string operation;
    std::string algorithm;
    int ranks = 1;
    SizeCurve measured;

    bool operator==(const MeasuredCollective&) const = default;
};

}  // namespace shardstone::collectives
