// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

#include "reference/data/files.hpp"
#include "reference/data/guarded_file.hpp"
#include "reference/data/hash.hpp"
#include "reference/model/token.hpp"

namespace shardstone::reference {

/// The manifest's entry for one shard; a file that does not match it is not that shard.
struct ShardInfo {
    std::string file;  ///< name inside the folder of the manifest
    std::int64_t tokens = 0;
    std::uint64_t checksum = 0;  ///< XXH3 of the tokens
};

/// Writes one token shard: 64 bytes of header, then the tokens as little-endian 16-bit words.
///
///     offset  bytes  field
///          0      8  "SHARDTOK"
///          8      4  version of the format, 1
///         12      4  vocabulary: every token is below it
///         16      8  number of tokens
///         24      8  XXH3 of the tokens
///         32     24  zero
///         56      8  XXH3 of the 56 bytes before
class ShardWriter {
  public:
    ShardWriter(const std::filesystem::path& path, std::int64_t vocabulary);

    void append(std::span<const Token> tokens);
    std::int64_t tokens() const noexcept { return tokens_; }
    /// Completes the header and syncs the file. Nothing may be appended afterwards.
    ShardInfo finish();

  private:
    std::string name_;
    OutputFile file_;
    Hasher hasher_;
    std::int64_t vocabulary_;
    std::int64_t tokens_ = 0;
};

/// One shard, verified: the header, the length and the checksum of every byte are right and every
/// token lies in the vocabulary. Its tokens are read from the file on demand.
class TokenShard {
  public:
    /// Reads the whole file. `stays_open`: as in GuardedFile. Throws Error in one line naming the
    /// file and the fault: missing, too short, not a shard, of another version, damaged header,
    /// empty, truncated, damaged tokens, or valid but not the one described by `expected`.
    TokenShard(const std::filesystem::path& folder, const ShardInfo& expected,
               std::int64_t vocabulary, bool stays_open);

    std::int64_t size() const noexcept { return tokens_; }
    /// Copies tokens [first, first + to.size()). Throws Error as GuardedFile::read().
    void copy(std::int64_t first, std::span<Token> to) const;
    /// Changes to its file.
    FileFate look() const { return file_.look(); }

  private:
    GuardedFile file_;
    std::int64_t tokens_ = 0;
};

}  // namespace shardstone::reference
