// SPDX-License-Identifier: BSD-3-Clause
// Quotes words for scripts and for lines that a user may copy.
#include "jobs/submit/shell_words.hpp"

#include <algorithm>
#include <cctype>

namespace shardstone::submit {

std::string shell_word(std::string_view word) {
    const auto plain = [](unsigned char letter) {
        return std::isalnum(letter) ||
               std::string_view("_-./:=+@%").find(static_cast<char>(letter)) !=
                   std::string_view::npos;
    };
    if (!word.empty() && std::ranges::all_of(word, plain)) return std::string(word);
    std::string quoted = "'";
    for (const char letter : word) {
        if (letter == '\'') {
            quoted += "'\\''";
        } else {
            quoted += letter;
        }
    }
    return quoted + "'";
}

std::string shell_words(const std::vector<std::string>& words) {
    std::string line;
    for (const std::string& word : words) {
        if (!line.empty()) line += ' ';
        line += shell_word(word);
    }
    return line;
}

}  // namespace shardstone::submit
