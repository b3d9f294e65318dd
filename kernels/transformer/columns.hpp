// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "kernels/tensor/for_each.hpp"
#include "kernels/tensor/host.hpp"

namespace shardstone::detail {

/// So many that most rows are one block, and memory is read from its beginning to its end; so few
/// that their sums stay in the first-level cache meanwhile.
inline constexpr std::int64_t columns_per_block = 2048;

/// Calls f(begin, end) for blocks of columns that cover [0, columns); for sums over all rows, which
/// then come in row order whatever the number of threads.
template <class F>
void for_each_column_block(HostQueue queue, std::int64_t columns, const F& f) {
    const std::int64_t blocks = (columns + columns_per_block - 1) / columns_per_block;
    for_each_row(queue, blocks, [=](std::int64_t block) {
        const std::int64_t begin = block * columns_per_block;
        f(begin, std::min(begin + columns_per_block, columns));
    });
}

}  // namespace shardstone::detail
