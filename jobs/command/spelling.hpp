// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

namespace shardstone::command {

/// Of the names the one that takes the fewest insertions, deletions, replacements and swaps of
/// neighbours to make from the word; empty when even that takes more than a third of its letters,
/// since it is no misspelling then.
std::string nearest_name(const std::string& word, const std::vector<std::string>& names);

/// "; did you mean 'NAME'?", or nothing.
std::string suggestion(const std::string& word, const std::vector<std::string>& names);

}  // namespace shardstone::command
