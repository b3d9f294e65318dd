// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace shardstone::results {

/// One file of a bundle, in memory: nothing of an archive is ever written to a path that it names.
struct BundledFile {
    std::string path;  ///< "records/train.h5": letters, digits, '.', '_', '-', and '/' between
    std::string bytes;
};

/// A ZIP archive of these files in this order. The same files give the same bytes: all carry the
/// time that ZIP begins with (1980-01-01), and none is compressed. So the archive does not depend
/// on a compressor's version, a changed byte stays one changed byte that can be located, and no
/// archive that we accept unpacks to more than its own size.
std::string to_zip(const std::vector<BundledFile>& files);

/// What to_zip() writes depends on it: "1.7.3".
std::string zip_library_version();

/// An archive as far as it can be read.
struct OpenedArchive {
    std::vector<BundledFile> files;
    std::vector<std::string> damage;  ///< of the archive or of single files, one line each
};

/// True when bytes begin like a ZIP archive.
bool looks_like_zip(std::string_view bytes);

/// Reads what is whole, and says what is not. Throws Error naming `source` for what is no ZIP
/// archive, or one that no `shardstone bundle` can have written: with files that are compressed,
/// encrypted, together larger than the archive, twice there, or named other than above (absolute,
/// with "..", with control characters).
OpenedArchive from_zip(const std::string& bytes, const std::string& source);

}  // namespace shardstone::results
