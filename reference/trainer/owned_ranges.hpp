// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "reference/step/step_program.hpp"

namespace shardstone::reference {

/// Ascending ranges of a rank's flat parameter buffer, and the positions of their elements in
/// compact memory, where they are stored consecutively.
class OwnedRanges {
  public:
    explicit OwnedRanges(std::vector<Range> ranges);

    const std::vector<Range>& ranges() const noexcept { return ranges_; }
    /// Number of elements in all of them.
    std::int64_t count() const noexcept { return starts_.back(); }
    /// Position of element `flat`, which lies in one of the ranges.
    std::int64_t place(std::int64_t flat) const;
    /// The parts of `range` within them.
    std::vector<Range> within(const Range& range) const;

  private:
    std::vector<Range> ranges_;
    std::vector<std::int64_t> starts_;  ///< start of each range in the compact memory, and the end
};

}  // namespace shardstone::reference
