// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "results/compare/comparable.hpp"

namespace shardstone::results {

/// A table of a validated interconnect, whose rows are told apart by places in place of the numbers
/// of ranks: "sender", "receiver" and "rank" become "node7 rank 0", the host and the number among
/// the ranks that ran on it (table "rank_places"). On another day the same nodes may come in
/// another order, and rank 3 be on another of them; pairs of other hosts are other rows. Rows are
/// disturbed if `part` of the tests was (table "conditions").
ComparableTable by_place(ComparableTable table, const std::string& part);

}  // namespace shardstone::results
