// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace shardstone::results {

/// The column whose values a byte of an HDF5 record belongs to: "samples, table rank_steps, column
/// time_s"; "its structure" for a byte that belongs to none. `bytes` is what to_hdf5_bytes() made,
/// never a file that may be damaged.
std::string hdf5_place(const std::string& bytes, std::size_t offset);

}  // namespace shardstone::results
