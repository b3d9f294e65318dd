// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>

namespace shardstone::benchmarks {

/// While one lives, `new` gives out folded memory for least_folded_bytes and more: the same
/// addresses to all, and behind them one megabyte again and again (SMPI's shared malloc). Times do
/// not depend on what is in a message, SMPI copies nothing from or to such memory, and so the
/// vectors of 128 ranks cost nothing. What it holds is meaningless. Not nested; all ranks are one
/// thread.
class FoldingScope {
  public:
    explicit FoldingScope(bool folding);
    ~FoldingScope();
    FoldingScope(const FoldingScope&) = delete;
    FoldingScope& operator=(const FoldingScope&) = delete;
};

/// Beyond any plan or program that a rank needs whole.
constexpr std::size_t least_folded_bytes = std::size_t{1} << 20;
constexpr std::size_t most_folded_bytes = std::size_t{1} << 28;

/// Whether `address` lies in folded memory.
bool is_folded(const void* address);

}  // namespace shardstone::benchmarks
