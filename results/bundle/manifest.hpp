// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "results/bundle/contents.hpp"

namespace shardstone::results {

// manifest.json of a bundle, one object whose first line is a seal over the rest, as in records:
//
//     {"seal": "<32 hexadecimal digits>",
//      "format": "shardstone bundle", "version": 1,
//      "made_by": {"shardstone": "...", "revision": "...", "libzip": "..."},
//      "records": [{"name": "train", "path": "records/train.h5", "nature": "measured",
//                   "nature_in_words": "...", "kind": "train", "title": "...", "id": "...",
//                   "start_time": "...", "hash": "...", "checks": "12 passed",
//                   "predicted": ["gap.predicted_s"],
//                   "verdict": "FAIL: ...", "reasons": ["..."] (of a run that gives one)}],
//      "files": [{"path": "README.md", "size_bytes": 1, "sha256": "..."}]}

constexpr const char* manifest_path = "manifest.json";

/// `files`: all but the manifest.
std::string manifest_text(const BundleContents& contents, const std::vector<BundledFile>& files);

/// What a manifest says.
struct Manifest {
    struct File {
        std::uint64_t size_bytes = 0;
        std::string sha256;
    };
    Maker maker;
    std::map<std::string, std::string> natures;  ///< by the path of the record
    std::map<std::string, File> files;           ///< by path
};

/// Throws Error if a byte was changed after it was sealed, or if it is no manifest that this
/// program knows.
Manifest manifest_from_text(const std::string& text);

}  // namespace shardstone::results
