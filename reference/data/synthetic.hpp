// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>

#include "reference/data/manifest.hpp"

namespace shardstone::reference {

struct SyntheticOptions {
    std::int64_t tokens = 1 << 20;  ///< training and validation part together
    int order = 2;
    int symbols = 16;
    std::uint64_t seed = 1;
    std::int64_t shard_size_bytes = 64 << 20;
    double validation_fraction = 0.1;  ///< the tail of the text
};

/// Writes a text in a random Markov language (markov.hpp) as token shards to the new folder `out`,
/// which is created atomically; the manifest contains the exact entropy rate. Throws Error for
/// options out of range or an `out` that is taken (OutputFolder) or cannot be written.
Manifest prepare_synthetic(const SyntheticOptions& options, const std::filesystem::path& out);

}  // namespace shardstone::reference
