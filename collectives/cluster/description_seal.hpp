// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>

namespace shardstone::collectives {

/// `text` below a first line, a comment in TOML, that holds a hash (XXH3, 64 bits) of all of it:
/// measurements that a byte was lost of would be believed otherwise.
std::string sealed(std::string_view text);

bool has_seal(std::string_view text);

/// Throws Error naming `file` when there is a seal and the text is not what was sealed.
void require_seal_intact(std::string_view text, const std::string& file);

}  // namespace shardstone::collectives
