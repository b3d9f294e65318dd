// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "reference/data/shard.hpp"

namespace shardstone::reference {

/// What a folder of token shards holds: `manifest.json`, a small file for people and programs.
struct Manifest {
    std::string source;  ///< where the tokens come from, for people
    std::int64_t vocabulary = 256;
    /// Of a synthetic language: nats per token that no model can beat in the long run.
    std::optional<double> entropy_rate_nats;
    std::vector<ShardInfo> train;
    std::vector<ShardInfo> validation;
    std::string checksum = {};  ///< over all of the above; known of a manifest that was read
};

/// Total over the shards.
std::int64_t token_count(const std::vector<ShardInfo>& shards);

/// Writes `folder`/manifest.json with a checksum over its content.
void write_manifest(const std::filesystem::path& folder, const Manifest& manifest);

/// Throws Error in one line when the folder or its manifest is missing, malformed, damaged or of
/// another version, or names a file outside the folder.
Manifest read_manifest(const std::filesystem::path& folder);

}  // namespace shardstone::reference
