// SPDX-License-Identifier: BSD-3-Clause
// Single messages of a validation that took far longer than usual, on the screen.
#include "jobs/command/long_messages_screen.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "results/schema/long_messages.hpp"

namespace shardstone::command {

void print_long_messages(const validation::InterconnectSamples& samples) {
    constexpr std::size_t most = 8;
    const auto found = results::long_messages(samples.pairs);
    if (found.empty()) return;
    fmt::print("\nSingle messages that took over ten times their usual (not judged)\n");
    for (std::size_t i = 0; i < std::min(most, found.size()); ++i) {
        fmt::print("  {}\n", results::in_words(found[i]));
    }
    if (found.size() > most) fmt::print("  and {} more\n", found.size() - most);
}

}  // namespace shardstone::command
