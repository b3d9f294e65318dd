// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace shardstone::validation {

struct FunctionExtent {
    std::string first_line;
    int line = 0;      ///< of the file, from 1
    int lines = 0;     ///< from its first line, or that of its template, to its last brace
    std::string head;  ///< in one line, up to the brace
    bool is_of_the_file = false;  ///< whether it stands in an anonymous namespace
};

/// The functions of a source in this project's form (.clang-format) whose bodies have lines of
/// their own, with those of classes; what is defined inside a function counts for that.
std::vector<FunctionExtent> functions_of(std::string_view text);

/// The statements of a source that open no brace and stand at its left margin, in one line each.
std::vector<std::string> declarations_of(std::string_view text);

}  // namespace shardstone::validation
