// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>

#include "results/record/record.hpp"

namespace shardstone::results {

// Lines of a journal (journal.hpp), each sealed with a hash that continues the one before.

/// Hash of the line `text` in a journal whose last line has this hash (empty: there is none).
std::string line_hash(std::string_view hash_before, std::string_view text);

std::string head_text(const Record& begun);
std::string part_text(const Record& part, const std::string& done);

}  // namespace shardstone::results
