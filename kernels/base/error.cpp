// SPDX-License-Identifier: BSD-3-Clause
// Error messages become one short printable line, and violated contracts exceptions.
#include "kernels/base/error.hpp"

#include <algorithm>

namespace shardstone {

namespace {

/// What names the problem is at the front, what to do at the end.
std::string one_line(std::string message) {
    constexpr std::size_t most = 4000, front = 3000, back = 900;
    if (message.size() > most) {
        message.replace(front, message.size() - front - back, " ... ");
    }
    std::ranges::replace_if(
        message, [](unsigned char c) { return c < ' ' || c == 0x7f; }, '?');
    return message;
}

}  // namespace

Error::Error(std::string message, ExitCode code)
    : std::runtime_error(one_line(std::move(message))), code_(code) {}

void contract_violated(const char* expression, const char* file, int line) {
    throw std::logic_error(std::string(file) + ":" + std::to_string(line) +
                           ": contract violated: " + expression);
}

}  // namespace shardstone
