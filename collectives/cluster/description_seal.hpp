// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>

namespace shardstone::collectives {

/// `text` below a first line, a comment in TOML, with a hash (XXH3, 64 bits) of all of it:
/// otherwise measurements with a lost byte would be believed.
std::string sealed(std::string_view text);

bool has_seal(std::string_view text);

/// Throws Error naming `file` if there is a seal and the text does not match it.
void require_seal_intact(std::string_view text, const std::string& file);

}  // namespace shardstone::collectives
