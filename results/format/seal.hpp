// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>

#include "results/record/record.hpp"

namespace shardstone::results {

constexpr std::size_t hash_digits = 32;

/// "'FILE' was changed or cut ...": message for a file whose hash does not match.
std::string changed_message(const std::string& source);

/// Each throws Error naming `source`.
void require_seal(std::string_view seal, std::string_view sealed_bytes, const std::string& source);
/// From 1 to format_version.
void require_version(int version, const std::string& source);
void require_content_hash(const Record& record, const std::string& hash, const std::string& source);

}  // namespace shardstone::results
