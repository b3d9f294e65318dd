// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "reference/data/shard.hpp"

namespace shardstone::reference {

/// Splits a stream of tokens into shards "<prefix>-00000.tok", ... of a given size.
class ShardedWriter {
  public:
    ShardedWriter(std::filesystem::path folder, std::string prefix, std::int64_t vocabulary,
                  std::int64_t shard_size_bytes);

    void append(std::span<const Token> tokens);
    std::vector<ShardInfo> finish();

  private:
    std::filesystem::path folder_;
    std::string prefix_;
    std::int64_t vocabulary_;
    std::int64_t tokens_per_shard_;
    std::optional<ShardWriter> current_;
    std::vector<ShardInfo> finished_;
};

/// Throws Error unless the held-out fraction of the tokens is between zero and one half.
void require_validation_fraction(double fraction);

}  // namespace shardstone::reference
