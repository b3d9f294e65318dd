// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace shardstone::command {

/// The ranks of a job that run a subcommand.
enum class RunsOn : std::uint8_t {
    all_ranks,
    rank_0,  ///< needs no ranks: under mpiexec the others exit at once with 0, and it acts once
};

/// One subcommand of `shardstone`: one file in this folder with one `const Registration`, in a
/// namespace of its own, NAME_command, since subcommands use the same names for the same things.
///
/// `declare` adds options to its CLI11 app and returns the function to run once they are parsed;
/// the latter returns the exit code. It starts MPI itself (collectives::run_session) if it needs
/// ranks, so that `--help` and serial commands never touch MPI. Bad input is an Error. An option
/// --json with the value "-" writes the record to stdout and all printed output to stderr
/// (standard_streams.hpp).
///
/// `declare_check`, where there is one, adds the same options, and returns a function that only
/// refuses (Error) what a job of so many ranks would refuse once it has begun: without them,
/// without MPI, and without writing or measuring anything. It leaves out what the job's own nodes
/// decide.
struct Subcommand {
    std::string name;
    std::string summary;  ///< one line for the list of commands
    std::string
        details;  ///< the rest of --help: what it measures, examples, how to read the output
    std::function<std::function<int()>(CLI::App&)> declare;
    RunsOn runs_on = RunsOn::all_ranks;
    std::function<std::function<void(int ranks)>(CLI::App&)> declare_check = {};
};

class Registration {
  public:
    explicit Registration(Subcommand subcommand);
};

/// All registered subcommands by name.
const std::vector<Subcommand>& subcommands();

/// argv of this process, for the record.
const std::vector<std::string>& command_line();

}  // namespace shardstone::command
