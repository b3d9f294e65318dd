// SPDX-License-Identifier: BSD-3-Clause
// `shardstone completion`: a script that teaches the shell subcommands and options.
#include <fmt/format.h>

#include <cstdio>
#include <memory>

#include "jobs/command/command.hpp"
#include "jobs/command/command_tree.hpp"
#include "kernels/base/error.hpp"

namespace shardstone::command::completion_command {

namespace {

std::function<int()> declare(CLI::App& app) {
    const auto shell = std::make_shared<std::string>();
    app.add_option("SHELL", *shell, "bash")->required();
    return [&app, shell] {
        require(*shell == "bash",
                [&] { return fmt::format("no completion for '{}': only for bash", *shell); });
        std::fputs(bash_completion(describe(*app.get_parent())).c_str(), stdout);
        return 0;
    };
}

const Registration registration{{"completion", "Print the bash completion script of this command",
                                 "Generated from the options of all subcommands; `cmake --install` "
                                 "installs it where the package\n"
                                 "bash-completion finds it. Otherwise, in ~/.bashrc:\n"
                                 "  source <(shardstone completion bash)",
                                 declare, RunsOn::rank_0}};

}  // namespace

}  // namespace shardstone::command::completion_command
