// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>

namespace shardstone::results {

/// HTML in whose text no line can end inside of a number as words.hpp writes it: narrow no-break
/// spaces stand between groups of thousands, no-break spaces before units. Attributes and <code>,
/// which a reader may copy into a terminal, stay as they are.
std::string unbroken_numbers(std::string_view html);

/// The text as it was before that, for terminals.
std::string with_plain_blanks(std::string_view text);

}  // namespace shardstone::results
