// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <string>

#include "collectives/operation/algorithm.hpp"

namespace shardstone::collectives {

/// A point-to-point pattern: an operation in which every rank has two blocks, its own message and
/// the one it gets, and whose algorithm "direct" is the pattern's messages themselves.
struct Pattern {
    static constexpr BlockRange mine{0, 1};
    static constexpr BlockRange theirs{1, 1};

    std::string name;
    std::string summary;   ///< one line for --list
    std::string citation;  ///< where the same is measured
    /// Messages one after another, each a step; bus bandwidth counts them all.
    int turns = 1;
    /// Whose message a rank ends up with; -1: none.
    std::function<int(const RankRole&)> source_of;
    Generator program;
};

/// A namespace-scope one in a file of its own adds a pattern, and with it how a user of the MPI
/// library writes it (library_pattern.hpp).
class PatternRegistration {
  public:
    explicit PatternRegistration(const Pattern& pattern);
};

}  // namespace shardstone::collectives
