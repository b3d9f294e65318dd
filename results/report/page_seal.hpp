// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>

namespace shardstone::results {

// A page ends with a comment that holds a hash over all bytes before it, so that a changed number
// in it is detected.

/// The page followed by its seal.
std::string seal_page(std::string page);

/// Whether bytes are a page with such a seal, changed or not.
bool is_sealed_page(std::string_view bytes);

/// Throws Error naming `source` when a byte was changed after the page was sealed, or when there is
/// no seal.
void require_page_unchanged(std::string_view bytes, const std::string& source);

}  // namespace shardstone::results
