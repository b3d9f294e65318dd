// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace shardstone::results {

/// What differs between a file of a bundle and what it must be, found and named.
struct FileDifference {
    std::string place;            ///< "line 3, column time_s"; page_place(), json_place()
    std::string given, expected;  ///< excerpts around it
};

/// "PLACE: 'GIVEN' instead of 'EXPECTED'".
std::string in_words(const FileDifference& difference);

/// At most this many are named of one file.
constexpr std::size_t most_named = 8;

// By the form of the file; none if both are equal. `expected` is what our own writers made, `given`
// may be anything.
std::vector<FileDifference> text_differences(std::string_view given, std::string_view expected);
std::vector<FileDifference> csv_differences(std::string_view given, std::string_view expected);
std::vector<FileDifference> json_text_differences(std::string_view given,
                                                  std::string_view expected);
std::vector<FileDifference> page_differences(std::string_view given, std::string_view expected);

}  // namespace shardstone::results
