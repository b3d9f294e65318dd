// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "results/record/record.hpp"

namespace shardstone::results {

/// Gives the tables and columns of a record of an older version their current names, if they have
/// one, and splits a column that is now two. Missing data remain missing (schema.hpp: rows_of). A
/// record of this version is unchanged, but for comparisons from before they told which sides were
/// on emulated GPUs: that stays untold.
void use_present_names(Record& record);

}  // namespace shardstone::results
