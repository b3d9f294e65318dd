// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "results/schema/interconnect.hpp"

namespace shardstone::results {

/// How much a validated interconnect's record holds of each kind that is judged, and how much of
/// that is bad: "no suspects among 6 pairs and 4 ranks, 1 of 3 limits broken, 1 undecided". Empty
/// of a record that holds nothing of it. Throws Error if a table cannot be read.
std::string verdict_counts(const Record& record);

/// Of how many pairs or ranks a limit is kept: "of 12: 3 fail, 8 pass, 1 undecided". Empty
/// where it is on a single one, and in older records.
std::string subjects_in_words(const AcceptanceRow& row);

}  // namespace shardstone::results
