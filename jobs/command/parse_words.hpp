// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

namespace shardstone::command {

/// What a command line means to the program, without running it.
struct ParsedWords {
    std::string refusal;       ///< one line, as a user would get it; empty if it is accepted
    bool writes_json = false;  ///< the subcommand has --json
    bool needs_ranks = false;  ///< it runs on all ranks
    std::vector<std::string> outputs = {};  ///< given options that name one (mark_output())
};

/// Parses `words`, which begin with a subcommand, as main() would, and checks what they mean on so
/// many ranks as far as the subcommand can (Subcommand::declare_check).
ParsedWords parse_words(const std::vector<std::string>& words, int ranks);

/// The subcommands that run on all ranks and write a record, with all their words: "train",
/// "validate interconnect".
std::vector<std::string> commands_with_records();

}  // namespace shardstone::command
