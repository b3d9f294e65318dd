// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>

namespace shardstone::benchmarks {

/// During its lifetime, `new` returns folded memory for least_folded_bytes and more: the same
/// addresses for all, backed repeatedly by one megabyte (SMPI's shared malloc). Times do not depend
/// on the contents of a message, and SMPI does not copy such memory, so that the vectors of 128
/// ranks cost nothing. Its contents are meaningless. Not nested; all ranks are one thread.
class FoldingScope {
  public:
    explicit FoldingScope(bool folding);
    ~FoldingScope();
    FoldingScope(const FoldingScope&) = delete;
    FoldingScope& operator=(const FoldingScope&) = delete;
};

/// Above the size of any plan or program, which a rank needs intact.
constexpr std::size_t least_folded_bytes = std::size_t{1} << 20;
constexpr std::size_t most_folded_bytes = std::size_t{1} << 28;

/// Whether `address` lies in folded memory.
bool is_folded(const void* address);

}  // namespace shardstone::benchmarks
