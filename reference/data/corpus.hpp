// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "reference/data/dataset.hpp"
#include "reference/data/manifest.hpp"

namespace shardstone::reference {

/// Vocabulary of byte-level tokens.
inline constexpr std::int64_t byte_vocabulary = 256;

/// Text files found under the given paths, sorted by name.
struct Corpus {
    struct Skipped {
        std::filesystem::path path;
        std::string reason;
    };
    std::vector<std::filesystem::path> files;
    std::vector<Skipped> skipped;  ///< binary, hidden, build output, empty, not a regular file
};

/// Collects files and, recursively, folders. A file counts as text if no byte of it is zero. Throws
/// Error naming a path that does not exist, or if no text is found at all.
Corpus collect_text(const std::vector<std::filesystem::path>& paths);

struct PrepareOptions {
    std::int64_t shard_size_bytes = 64 << 20;  ///< of the tokens in one shard
    /// Fraction at the end of every file that is held out, so that both parts contain the same
    /// kinds of text.
    double validation_fraction = 0.1;
};

/// Converts text to byte-level tokens: shards and a manifest in the new folder `out`, which is
/// created atomically. Returns the manifest. Throws Error for options out of range or an `out` that
/// is taken (OutputFolder) or cannot be written.
Manifest prepare_text(const Corpus& corpus, const PrepareOptions& options,
                      const std::filesystem::path& out);

}  // namespace shardstone::reference
