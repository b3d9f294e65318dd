// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "results/record/record.hpp"

namespace shardstone::results {

// Layout of the HDF5 file:
//
//     user block, 512 bytes        "shardstone record 1\nseal <32 hexadecimal digits>\n", zeros:
//                                  the seal is a hash over all bytes after the block, checked
//                                  before the HDF5 library (which damaged files crash) sees any
//     /about                       texts (7): format, version, hash, kind, identity,
//                                  configuration, environment; the last three are JSON
//     /samples/TABLE/COLUMN        one-dimensional: 64-bit floats, or UTF-8 texts of fixed length,
//                                  compressed by deflate if larger than a page; attributes: "unit"
//                                  and "meaning", a sentence (results/schema), the latter also of
//                                  TABLE
//     /derived/TABLE/COLUMN
//     /verification/{name,passed,detail}     texts, 1.0 or 0.0, texts
//
// Groups keep the order in which tables and columns were written. In Python:
//
//     with h5py.File("record.h5") as f: times = f["samples/all_reduce/time_s"][:]

/// Size of the user block in bytes.
constexpr std::size_t hdf5_head_size = 512;

/// Contents of the file. Throws Error for a record that violates the rules of record.hpp.
std::string to_hdf5_bytes(const Record& record);

/// True when the bytes begin like an HDF5 record.
bool looks_like_hdf5(const std::string& bytes);

/// `bytes` is the whole file. Throws Error naming `source` if a byte was changed or the file is
/// not a record.
Record from_hdf5_bytes(const std::string& bytes, const std::string& source);

}  // namespace shardstone::results
