// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "results/record/record.hpp"

namespace shardstone::results {

/// Gives the tables and columns of a record of an older version the names that they have now, as
/// far as they have one, and what stood in one column the two that it lies in now. What such
/// records lack stays away (schema.hpp: rows_of). A record of this version is left as it is.
void use_present_names(Record& record);

}  // namespace shardstone::results
