// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "reference/data/shard.hpp"

namespace shardstone::reference {

/// Consecutive tokens, in memory or in a shard. A view: the memory or shard must outlive it.
class TokenPiece {
  public:
    TokenPiece(std::span<const Token> tokens) : tokens_(tokens), size_(std::ssize(tokens)) {}
    explicit TokenPiece(const TokenShard& shard) : shard_(&shard), size_(shard.size()) {}

    std::int64_t size() const noexcept { return size_; }
    /// Copies tokens [first, first + to.size()). Throws Error (ExitCode::check_failed) if the shard
    /// has changed since it was verified.
    void copy(std::int64_t first, std::span<Token> to) const;
    /// A copy of all tokens.
    std::vector<Token> all() const;

  private:
    std::span<const Token> tokens_;
    const TokenShard* shard_ = nullptr;
    std::int64_t size_;
};

/// Pieces of consecutive tokens; a sequence never crosses from one into the next.
using TokenPieces = std::vector<TokenPiece>;

std::int64_t token_count(const TokenPieces& pieces);

}  // namespace shardstone::reference
