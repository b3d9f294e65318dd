// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace shardstone::submit {

/// An option of the command that a study runs, named as on the command line without its dashes,
/// with its values: several if it varies. They may hold expressions (expression.hpp).
struct StudyOption {
    std::string name;
    std::vector<std::string> values;
};

/// Options that go together under one name: a layout with what it needs, for instance.
struct StudyCase {
    std::string name;
    std::vector<StudyOption> options;  ///< one value each
};

/// What a study varies, what it keeps fixed and when it stops. Its points are all combinations of
/// ranks, cases, varied options and repetitions (point.hpp).
///
///     about = "one line"
///     command = "train"                  # any subcommand that runs on ranks and writes a record
///     ranks = [8, 16, 32]
///     ranks_per_node = "{ranks/4}"       # optional; by default as many as the site has
///     placement = "cyclic"               # optional: of ranks over nodes; by default "block"
///     [stop]
///     repetitions = 5                    # runs of each point
///     minutes = 10                       # after which one run is ended
///     [fixed]                            # options of the command, without their dashes
///     global-batch = "{4*ranks}"
///     [vary]
///     precision = ["fp32", "bf16"]
///     [[case]]
///     name = "pp"
///     plan = "pp=8"
struct Study {
    std::string name;  ///< of its file, without the ending
    std::string about;
    std::string command;  ///< its words with a space between: "validate interconnect"
    std::vector<int> ranks;
    std::string ranks_per_node;  ///< an expression; empty: the site's
    bool cyclic = false;         ///< placement
    int repetitions = 1;
    int minutes = 10;
    std::vector<StudyOption> fixed;
    std::vector<StudyOption> vary;
    std::vector<StudyCase> cases;
    std::string text;  ///< of the whole file
};

/// Whether every run gets the option of this name, without its dashes, from `submit` itself.
bool is_set_by_submit(std::string_view name);

/// Whether an option may have this name, and what to give otherwise.
bool is_option_name(std::string_view name);
inline constexpr const char* option_name_wording = "the option's name without dashes, spaces and =";

/// Reads a study. Throws Error naming `file`, with the key or the line, for anything that is
/// unknown, missing or out of bounds. Whether the command knows the options is not checked here.
Study parse_study(std::string_view text, const std::string& file);

}  // namespace shardstone::submit
