// SPDX-License-Identifier: BSD-3-Clause
// `shardstone man`: the manual page, from the options themselves.
#include <cstdio>

#include "jobs/command/command.hpp"
#include "jobs/command/command_tree.hpp"

namespace shardstone::command::man_command {

namespace {

std::function<int()> declare(CLI::App& app) {
    return [&app] {
        std::fputs(manual_page(describe(*app.get_parent())).c_str(), stdout);
        return 0;
    };
}

const Registration registration{
    {"man", "Print the manual page",
     "Generated from the options of all subcommands; `cmake --install` installs it. Otherwise:\n"
     "  shardstone man > shardstone.1 && man ./shardstone.1",
     declare, RunsOn::rank_0}};

}  // namespace

}  // namespace shardstone::command::man_command
