// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "kernels/base/error.hpp"
#include "reference/step/timeline.hpp"

namespace shardstone::reference {

/// When the actions of one rank ran, while others are still under way.
class SpanLog {
  public:
    using Spans = SharedList<ActionSpan>;

    /// Of the next action, which has yet to end.
    void begin(Spans::Pool& pool) {
        if (open_.size() % Spans::block_size == 0) close(pool);
        open_.push_back(under_way);
    }
    /// Of an action that has begun and not ended.
    void end(std::size_t i, const ActionSpan& span) {
        SHARDSTONE_EXPECTS(span.end_s >= span.begin_s);  // a NaN would have no order in a pool
        open_[i - closed_.size()] = span;
    }
    bool has_ended(std::size_t i) const {
        return i < closed_.size() + open_.size() && has_ended((*this)[i]);
    }
    /// Of an action that has begun.
    const ActionSpan& operator[](std::size_t i) const {
        return i < closed_.size() ? closed_[i] : open_[i - closed_.size()];
    }
    /// All, when they have ended.
    Spans take(Spans::Pool& pool) {
        while (close(pool)) {
        }
        SHARDSTONE_EXPECTS(open_.empty());
        return std::move(closed_);
    }

  private:
    static constexpr ActionSpan under_way{-1.0, -1.0};

    static bool has_ended(const ActionSpan& span) { return span.end_s != under_way.end_s; }
    /// Closes the oldest block if all of it has ended; false if there is none such.
    bool close(Spans::Pool& pool) {
        const std::size_t count = std::min(open_.size(), Spans::block_size);
        const auto end = open_.begin() + static_cast<std::ptrdiff_t>(count);
        const bool ended =
            std::all_of(open_.begin(), end, [](const ActionSpan& span) { return has_ended(span); });
        if (count == 0 || !ended) return false;
        closed_.append({open_.begin(), end});
        closed_.share_last(pool);
        open_.erase(open_.begin(), end);
        return true;
    }

    Spans closed_;                  ///< blocks that have ended
    std::vector<ActionSpan> open_;  ///< what comes after them
};

}  // namespace shardstone::reference
