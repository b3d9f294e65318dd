// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <limits>
#include <span>
#include <string>

#include "results/recompute/recompute.hpp"

namespace shardstone::results {

/// What a column of samples can hold, whatever was measured: numbers that are finite, not below
/// `least`, and below `end`.
struct PossibleNumbers {
    std::string table, column;
    double least = 0.0;
    double end = std::numeric_limits<double>::infinity();
    bool is_whole = true;
    /// Another column of the table, whose number in the same row is not exceeded: parts of a count.
    std::string part_of = {};
};

/// 0, 1, 2 ...
PossibleNumbers counts(std::string table, std::string column);
/// 0 to `end` - 1: ranks, nodes; 0 or 1 if `end` is 2.
PossibleNumbers indices(std::string table, std::string column, double end);
/// Above 0: times, rates.
PossibleNumbers above_zero(std::string table, std::string column);
/// Any but infinite ones and what is not a number.
PossibleNumbers finite(std::string table, std::string column);

/// Adds a mismatch for every number that its column cannot hold; tables and columns that the record
/// lacks are passed over. False if there is one: what is derived from it means nothing then.
bool are_possible(const Record& record, std::span<const PossibleNumbers> columns,
                  Recomputed& found);

}  // namespace shardstone::results
