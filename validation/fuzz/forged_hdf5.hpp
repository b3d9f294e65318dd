// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>

#include "results/record/record.hpp"
#include "validation/fuzz/mutator.hpp"

namespace shardstone::validation {

/// An HDF5 record of these bytes behind the user block, with a seal that holds.
std::string resealed_hdf5(std::string_view image);

/// The record as HDF5 with right hashes, but for one or two data sets, groups or links that are put
/// in the place of others: of other types and shapes, larger than any file, outside of it, chained.
std::string forged_hdf5(const results::Record& record, Mutator& mutator);

}  // namespace shardstone::validation
