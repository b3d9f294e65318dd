// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace shardstone::submit {

/// `word` as one word of a shell: as it is, or in single quotes.
std::string shell_word(std::string_view word);

/// All of them, with spaces between.
std::string shell_words(const std::vector<std::string>& words);

}  // namespace shardstone::submit
