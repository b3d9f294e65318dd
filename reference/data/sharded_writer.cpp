// SPDX-License-Identifier: BSD-3-Clause
// Starts a new token shard whenever the current one has reached its size.
#include "reference/data/sharded_writer.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "kernels/base/error.hpp"

namespace shardstone::reference {

namespace {

// Below this a shard would hold hardly a sequence, and a folder millions of files.
constexpr std::int64_t least_shard_bytes = 4096;

}  // namespace

ShardedWriter::ShardedWriter(std::filesystem::path folder, std::string prefix,
                             std::int64_t vocabulary, std::int64_t shard_size_bytes)
    : folder_(std::move(folder)),
      prefix_(std::move(prefix)),
      vocabulary_(vocabulary),
      tokens_per_shard_(shard_size_bytes / static_cast<std::int64_t>(sizeof(Token))) {
    require(shard_size_bytes >= least_shard_bytes, [&] {
        return fmt::format("shards of {} bytes are too small: use --shard-size {} or more",
                           shard_size_bytes, least_shard_bytes);
    });
}

void ShardedWriter::append(std::span<const Token> tokens) {
    while (!tokens.empty()) {
        if (!current_) {
            current_.emplace(folder_ / fmt::format("{}-{:05}.tok", prefix_, finished_.size()),
                             vocabulary_);
        }
        const auto room = static_cast<std::size_t>(tokens_per_shard_ - current_->tokens());
        const auto piece = tokens.first(std::min(room, tokens.size()));
        current_->append(piece);
        tokens = tokens.subspan(piece.size());
        if (piece.size() == room) {
            finished_.push_back(current_->finish());
            current_.reset();
        }
    }
}

std::vector<ShardInfo> ShardedWriter::finish() {
    if (current_) finished_.push_back(current_->finish());
    current_.reset();
    return std::move(finished_);
}

void require_validation_fraction(double fraction) {
    require(fraction >= 0.0 && fraction <= 0.5, [&] {
        return fmt::format("--validation-fraction {} is not between 0 and 0.5", fraction);
    });
}

}  // namespace shardstone::reference
