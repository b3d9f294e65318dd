// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>

#include "reference/step/check/rank_proof.hpp"

namespace shardstone::reference {

/// Disjoint ranges, each filled by an action.
class RangeCover {
  public:
    /// Returns false and changes nothing if a part of it is present already.
    bool add(const Range& range, std::size_t action) {
        const auto after = pieces_.upper_bound(range.first);
        if (after != pieces_.end() && after->first < range.end()) return false;
        if (after != pieces_.begin() && std::prev(after)->second.range.end() > range.first) {
            return false;
        }
        pieces_.emplace_hint(after, range.first, Piece{range, action});
        count_ += range.count;
        return true;
    }
    std::int64_t count() const { return count_; }
    bool empty() const { return count_ == 0; }
    void clear() {
        pieces_.clear();
        count_ = 0;
    }
    bool touches(const Range& range) const { return overlap(range) > 0; }
    bool holds(const Range& range) const { return overlap(range) == range.count; }
    /// Whether all actions that touch the range have ended.
    bool has_ended(const Range& range, const Ended& ended) const {
        return all_of(range, [&](const Piece& piece) { return ended.contains(piece.action); });
    }
    bool has_ended(const Ended& ended) const {
        return std::ranges::all_of(
            pieces_, [&](const auto& piece) { return ended.contains(piece.second.action); });
    }
    /// The first element of `range` that is not covered; its end if all are.
    std::int64_t first_gap(const Range& range) const {
        std::int64_t next = range.first;
        all_of(range, [&](const Piece& piece) {
            if (piece.range.first <= next) next = std::max(next, piece.range.end());
            return true;
        });
        return std::min(next, range.end());
    }

  private:
    struct Piece {
        Range range;
        std::size_t action = 0;
    };

    /// Calls `test` for the pieces that touch the range, in order, until it returns false.
    template <class Test>
    bool all_of(const Range& range, Test&& test) const {
        auto piece = pieces_.upper_bound(range.first);
        if (piece != pieces_.begin()) --piece;
        for (; piece != pieces_.end() && piece->first < range.end(); ++piece) {
            if (piece->second.range.end() > range.first && !test(piece->second)) return false;
        }
        return true;
    }
    std::int64_t overlap(const Range& range) const {
        std::int64_t sum = 0;
        all_of(range, [&](const Piece& piece) {
            sum +=
                std::min(range.end(), piece.range.end()) - std::max(range.first, piece.range.first);
            return true;
        });
        return sum;
    }

    std::map<std::int64_t, Piece> pieces_;  ///< by first element
    std::int64_t count_ = 0;
};

}  // namespace shardstone::reference
