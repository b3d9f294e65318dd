// SPDX-License-Identifier: BSD-3-Clause
// What a GPU of compute capability 9.0 allows.
#pragma once

#include <cstddef>

namespace shardstone::emulated {

inline constexpr std::size_t most_shared_bytes = 227 * 1024;  ///< of a block
inline constexpr std::size_t shared_bytes_without_asking = 48 * 1024;
inline constexpr unsigned most_threads_per_block = 1024;
inline constexpr unsigned most_threads_in_z = 64;
inline constexpr unsigned most_blocks_in_x = 0x7fffffff;
inline constexpr unsigned most_blocks_in_y = 65535;  ///< and z

}  // namespace shardstone::emulated
