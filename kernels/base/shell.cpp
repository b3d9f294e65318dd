// SPDX-License-Identifier: BSD-3-Clause
// Words of command lines that readers copy into a shell.
#include "kernels/base/shell.hpp"

namespace shardstone {

std::string for_the_shell(std::string_view word) {
    constexpr std::string_view plain =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789@%+=:,./-_";
    if (!word.empty() && word.find_first_not_of(plain) == std::string_view::npos) {
        return std::string(word);
    }
    std::string text = "'";
    for (const char each : word) text += each == '\'' ? std::string("'\\''") : std::string(1, each);
    return text + "'";
}

}  // namespace shardstone
