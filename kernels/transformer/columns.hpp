// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "kernels/tensor/for_each.hpp"
#include "kernels/tensor/host.hpp"

namespace shardstone::detail {

/// Columns per block: large enough that most rows are one block, so that memory is read
/// contiguously; small enough that the sums stay in the L1 cache.
inline constexpr std::int64_t columns_per_block = 2048;

/// Calls f(begin, end) for blocks of columns that cover [0, columns); for sums over all rows, which
/// are then in row order for any number of threads.
template <class F>
void for_each_column_block(HostQueue queue, std::int64_t columns, const F& f) {
    const std::int64_t blocks = (columns + columns_per_block - 1) / columns_per_block;
    for_each_row(queue, blocks, [=](std::int64_t block) {
        const std::int64_t begin = block * columns_per_block;
        f(begin, std::min(begin + columns_per_block, columns));
    });
}

}  // namespace shardstone::detail
