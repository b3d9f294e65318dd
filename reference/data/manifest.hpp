// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "reference/data/shard.hpp"

namespace shardstone::reference {

/// Contents of a folder of token shards: `manifest.json`, a small file for humans and programs.
struct Manifest {
    std::string source;  ///< origin of the tokens, for humans
    std::int64_t vocabulary = 256;
    /// For a synthetic language: nats per token that no model can beat in the long run.
    std::optional<double> entropy_rate_nats;
    std::vector<ShardInfo> train;
    std::vector<ShardInfo> validation;
    std::string checksum = {};  ///< over all of the above; only set if the manifest was read
};

/// Total over the shards.
std::int64_t token_count(const std::vector<ShardInfo>& shards);

/// Writes `folder`/manifest.json with a checksum over its content.
void write_manifest(const std::filesystem::path& folder, const Manifest& manifest);

/// Throws Error in one line if the folder or its manifest is missing, malformed, damaged or of
/// another version, or names a file outside the folder.
Manifest read_manifest(const std::filesystem::path& folder);

}  // namespace shardstone::reference
