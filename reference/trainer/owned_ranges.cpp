// SPDX-License-Identifier: BSD-3-Clause
// Positions of elements of the flat buffer in the compact memory of the ranges that a rank owns.
#include "reference/trainer/owned_ranges.hpp"

#include <algorithm>
#include <utility>

#include "kernels/base/error.hpp"

namespace shardstone::reference {

OwnedRanges::OwnedRanges(std::vector<Range> ranges) : ranges_(std::move(ranges)), starts_{0} {
    for (const Range& range : ranges_) starts_.push_back(starts_.back() + range.count);
}

std::int64_t OwnedRanges::place(std::int64_t flat) const {
    const auto after = std::ranges::upper_bound(ranges_, flat, {}, &Range::first);
    SHARDSTONE_EXPECTS(after != ranges_.begin() && flat < std::prev(after)->end());
    const auto index = static_cast<std::size_t>(after - ranges_.begin()) - 1;
    return starts_[index] + flat - ranges_[index].first;
}

std::vector<Range> OwnedRanges::within(const Range& range) const {
    std::vector<Range> parts;
    auto next = std::ranges::upper_bound(ranges_, range.first, {}, &Range::end);
    for (; next != ranges_.end() && next->first < range.end(); ++next) {
        const std::int64_t first = std::max(range.first, next->first);
        parts.push_back({first, std::min(range.end(), next->end()) - first});
    }
    return parts;
}

}  // namespace shardstone::reference
