// SPDX-License-Identifier: BSD-3-Clause
// Tokens that somebody else owns, wherever they are.
#include "reference/data/token_piece.hpp"

#include <algorithm>

#include "kernels/base/error.hpp"

namespace shardstone::reference {

void TokenPiece::copy(std::int64_t first, std::span<Token> to) const {
    SHARDSTONE_EXPECTS(first >= 0 && first + std::ssize(to) <= size_);
    if (shard_ != nullptr) {
        shard_->copy(first, to);
    } else {
        std::ranges::copy(tokens_.subspan(static_cast<std::size_t>(first), to.size()), to.begin());
    }
}

std::vector<Token> TokenPiece::all() const {
    std::vector<Token> tokens(static_cast<std::size_t>(size_));
    copy(0, tokens);
    return tokens;
}

std::int64_t token_count(const TokenPieces& pieces) {
    std::int64_t total = 0;
    for (const auto& piece : pieces) total += piece.size();
    return total;
}

}  // namespace shardstone::reference
