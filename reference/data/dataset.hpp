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

/// Training tokens and held-out tokens. Owns the memory of its pieces. Movable.
class Dataset {
  public:
    /// Verifies every shard of a folder; their tokens are read on demand, and verified again then.
    /// The first most_open shards stay open, others are opened for each read. Local. Throws Error
    /// naming the fault of the manifest or a shard, or if there are no training tokens.
    static Dataset open(const std::filesystem::path& folder);
    static constexpr std::size_t most_open = 256;  ///< of the usual 1024 descriptors per process

    /// A dataset of tokens already in memory; `validation` may be empty.
    static Dataset from_tokens(std::string source, std::int64_t vocabulary,
                               std::vector<Token> train, std::vector<Token> validation);

    const TokenPieces& train() const noexcept { return train_; }
    const TokenPieces& validation() const noexcept { return validation_; }
    std::int64_t vocabulary() const noexcept { return vocabulary_; }
    const std::string& source() const noexcept { return source_; }
    /// 16 hexadecimal digits (XXH3) that identify these tokens: the checksum of the manifest, which
    /// covers those of all shards; for tokens in memory, over the number of training tokens, the
    /// training tokens and the held-out tokens.
    const std::string& hash() const noexcept { return hash_; }
    /// Nats per token that no model can beat, if the language is synthetic.
    std::optional<double> entropy_rate_nats() const noexcept { return entropy_rate_nats_; }
    /// Number of shards; 0: the tokens are in memory.
    std::size_t shards() const noexcept { return shards_.size(); }
    /// Checks all shards: the fate of the first one that changed, or else of the first one with
    /// something to report. Does not throw.
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
