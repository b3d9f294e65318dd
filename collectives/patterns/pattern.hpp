// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <string>

#include "collectives/operation/algorithm.hpp"

namespace shardstone::collectives {

/// A point-to-point pattern: an operation in which every rank has two blocks, the message it sends
/// and the one it receives, and whose algorithm "direct" consists of the pattern's messages.
struct Pattern {
    static constexpr BlockRange mine{0, 1};
    static constexpr BlockRange theirs{1, 1};

    std::string name;
    std::string summary;   ///< one line for --list
    std::string citation;  ///< publication of the same measurement
    /// Messages one after another, each a step; bus bandwidth counts them all.
    int turns = 1;
    /// Source of the message that a rank receives last; -1: none.
    std::function<int(const RankRole&)> source_of;
    Generator program;
};

/// A namespace-scope instance in a file of its own adds a pattern, together with its form for a
/// user of the MPI library (library_pattern.hpp).
class PatternRegistration {
  public:
    explicit PatternRegistration(const Pattern& pattern);
};

}  // namespace shardstone::collectives
