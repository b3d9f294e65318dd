// SPDX-License-Identifier: BSD-3-Clause
// Hashes and format version of a file are held against what it claims before it is believed.
#include "results/format/seal.hpp"

#include <fmt/format.h>

#include "kernels/base/error.hpp"
#include "results/format/hash.hpp"

namespace shardstone::results {

std::string changed_message(const std::string& source) {
    return fmt::format(
        "'{}' was changed or cut after it was written: its bytes do not match the hash it carries; "
        "use the original or run again",
        source);
}

void require_seal(std::string_view seal, std::string_view sealed_bytes, const std::string& source) {
    require(seal == hash_of_bytes(sealed_bytes), [&] { return changed_message(source); });
}

void require_version(int version, const std::string& source) {
    require(version >= 1 && version <= format_version, [&] {
        return fmt::format(
            "'{}' is a record of format version {}; this program reads versions 1 "
            "to {}: use the program that wrote it, or a newer one",
            source, version, format_version);
    });
}

void require_content_hash(const Record& record, const std::string& hash,
                          const std::string& source) {
    require(hash == hash_of(record), [&] {
        return fmt::format("'{}' does not hold what its hash {} was taken over; run again", source,
                           hash);
    });
}

}  // namespace shardstone::results
