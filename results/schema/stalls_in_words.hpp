// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "results/schema/stalls.hpp"

namespace shardstone::results {

// Rows of table "outliers" in words, shared by the screen, the checks and the report.

/// Location in its run: "step 224", "before step 3", "all_reduce ring, 64 B, iteration 594",
/// "pipeline, 4 micro-batches"; ", outside the timed parts" if its run timed samples and it is in
/// or before none. May be empty, for a run that is a single measurement.
std::string where_in_run(const OutlierRow& row);

/// "step 224: rank 1 on node 0 (vm): 554 ms instead of 17.5 ms; stalled for ...".
std::string in_words(const OutlierRow& row);

/// "1 sample, 2 stalls outside the timed parts and 1 stall in repeated tries"; a sample stalled by
/// two ranks counts once. Kinds without any are left out.
std::string counts_in_words(const std::vector<OutlierRow>& rows);

}  // namespace shardstone::results
