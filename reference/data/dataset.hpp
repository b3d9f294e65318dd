// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <deque>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "reference/data/shard.hpp"
#include "reference/data/token_piece.hpp"

namespace shardstone::reference {

/// Tokens to train on and tokens held out. Owns what its pieces point into. Movable.
class Dataset {
  public:
    /// Verifies every shard of a folder; their tokens are read when they are needed, and verified
    /// again then. The first most_open shards stay open, others are opened for each reading. Local.
    /// Throws Error naming what is wrong with the manifest or a shard, or that there is nothing to
    /// train on.
    static Dataset open(const std::filesystem::path& folder);
    static constexpr std::size_t most_open = 256;  ///< of the 1024 descriptors of a usual process

    /// Tokens that are in memory already; `validation` may be empty.
    static Dataset from_tokens(std::string source, std::int64_t vocabulary,
                               std::vector<Token> train, std::vector<Token> validation);

    const TokenPieces& train() const noexcept { return train_; }
    const TokenPieces& validation() const noexcept { return validation_; }
    std::int64_t vocabulary() const noexcept { return vocabulary_; }
    const std::string& source() const noexcept { return source_; }
    /// 16 hexadecimal digits (XXH3) that tell these tokens from others: the checksum of the
    /// manifest, which covers those of all shards; of tokens in memory, over how many are trained
    /// on, those, and those held out.
    const std::string& hash() const noexcept { return hash_; }
    /// Nats per token that no model can beat, where the language is synthetic.
    std::optional<double> entropy_rate_nats() const noexcept { return entropy_rate_nats_; }
    /// Number of shards; 0: the tokens are in memory.
    std::size_t shards() const noexcept { return shards_.size(); }
    /// Looks at all shards: what became of the first that changed, or else of the first of which
    /// there is something to say. Throws nothing.
    FileFate look() const;

  private:
    Dataset() = default;

    std::string source_;
    std::string hash_;
    std::int64_t vocabulary_ = 0;
    std::optional<double> entropy_rate_nats_;
    std::deque<TokenShard> shards_;
    std::vector<std::vector<Token>> owned_;
    TokenPieces train_;
    TokenPieces validation_;
};

}  // namespace shardstone::reference
