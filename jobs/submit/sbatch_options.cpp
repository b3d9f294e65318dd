// SPDX-License-Identifier: BSD-3-Clause
// The options of sbatch that a site may not set, because `submit` relies on what it sets itself.
#include "jobs/submit/sbatch_options.hpp"

#include <algorithm>
#include <array>
#include <regex>
#include <string_view>

namespace shardstone::submit {

namespace {

struct DecidedOption {
    std::string_view name;
    char letter;  ///< 0: it has none
};

/// What the scripts and command lines of sbatch set, and what would undo it: output, where errors
/// go to as well, is read for how a job ended, and squeue asks the cluster that it is on.
constexpr std::array decided{
    DecidedOption{"array", 'a'},         DecidedOption{"clusters", 'M'},
    DecidedOption{"cpus-per-task", 'c'}, DecidedOption{"dependency", 'd'},
    DecidedOption{"error", 'e'},         DecidedOption{"job-name", 'J'},
    DecidedOption{"nodes", 'N'},         DecidedOption{"no-requeue", 0},
    DecidedOption{"ntasks", 'n'},        DecidedOption{"ntasks-per-node", 0},
    DecidedOption{"open-mode", 0},       DecidedOption{"output", 'o'},
    DecidedOption{"partition", 'p'},     DecidedOption{"requeue", 0},
    DecidedOption{"tasks-per-node", 0},  DecidedOption{"time", 't'},
};

/// "--name" of "--name=value", "-n" of "-nvalue"; empty for what is no option.
std::string option_in(const std::string& word) {
    if (word.starts_with("--")) return word.size() > 2 ? word.substr(0, word.find('=')) : "";
    return word.starts_with('-') ? word.substr(0, 2) : "";
}

/// sbatch takes the beginning of a name for the whole.
bool may_be(const std::string& given, const DecidedOption& option) {
    if (given.starts_with("--")) return option.name.starts_with(given.substr(2));
    return given.size() == 2 && given[1] == option.letter;
}

}  // namespace

std::string option_of_submit_in(const std::string& words, bool asks_for_gpus) {
    static const std::regex word(R"((?:[^\s'"]|'[^']*'|"[^"]*")+)");
    for (std::sregex_iterator one(words.begin(), words.end(), word), end; one != end; ++one) {
        std::string text = one->str();
        std::erase_if(text, [](char letter) { return letter == '"' || letter == '\''; });
        const std::string given = option_in(text);
        if (given.empty()) continue;
        const bool set = std::ranges::any_of(
            decided, [&](const DecidedOption& option) { return may_be(given, option); });
        if (set || (asks_for_gpus && may_be(given, {"gres", 0}))) return given;
    }
    return {};
}

}  // namespace shardstone::submit
