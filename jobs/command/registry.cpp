// SPDX-License-Identifier: BSD-3-Clause
// Collects the subcommands that register themselves at start-up; keeps the command line as given.
#include <algorithm>
#include <fstream>

#include "jobs/command/command.hpp"

namespace shardstone::command {

namespace {

std::vector<Subcommand>& registry() {
    static std::vector<Subcommand> all;
    return all;
}

std::vector<std::string> read_command_line() {
    std::ifstream file("/proc/self/cmdline", std::ios::binary);
    std::vector<std::string> words;
    for (std::string word; std::getline(file, word, '\0');) words.push_back(word);
    return words;
}

}  // namespace

Registration::Registration(Subcommand subcommand) {
    auto& all = registry();
    const auto place = std::ranges::upper_bound(all, subcommand.name, {}, &Subcommand::name);
    all.insert(place, std::move(subcommand));
}

const std::vector<Subcommand>& subcommands() {
    return registry();
}

const std::vector<std::string>& command_line() {
    static const std::vector<std::string> words = read_command_line();
    return words;
}

}  // namespace shardstone::command
