// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

namespace shardstone {

/// The name with the smallest edit distance to the word (insertions, deletions, replacements and
/// swaps of neighbours); empty if that exceeds a third of its letters, since it is not a
/// misspelling then.
std::string nearest_name(const std::string& word, const std::vector<std::string>& names);

/// "; did you mean 'NAME'?", or nothing.
std::string suggestion(const std::string& word, const std::vector<std::string>& names);

}  // namespace shardstone
