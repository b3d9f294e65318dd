// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "results/schema/stalls.hpp"

namespace shardstone::results {

// What a row of table "outliers" says, in the words that the screen, the checks and the report
// share.

/// Where in its run: "step 224", "before step 3", "all_reduce ring, 64 B, iteration 594",
/// "pipeline, 4 micro-batches"; ", outside of what was timed" where its run timed samples and it is
/// in or before none. May be empty: of a run that is one measurement as a whole.
std::string where_in_run(const OutlierRow& row);

/// "step 224: rank 1 on node 0 (vm): 554 ms instead of 17.5 ms; stalled for ...".
std::string in_words(const OutlierRow& row);

/// "1 sample, 2 standstills outside of what was timed and 1 stall in tries that were taken again";
/// a sample that two ranks stalled is one. Kinds of which there is none are left out.
std::string counts_in_words(const std::vector<OutlierRow>& rows);

}  // namespace shardstone::results
