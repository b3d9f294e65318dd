// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace shardstone::command {

/// Which ranks of a job run a subcommand.
enum class RunsOn : std::uint8_t {
    all_ranks,
    rank_0,  ///< needs no ranks: under mpiexec the others end at once, well, and it acts once
};

/// One subcommand of `shardstone`: one file in this folder that holds one `const Registration`, in
/// a namespace of its own, NAME_command, as subcommands have the same names for the same things.
///
/// `declare` adds options to its CLI11 app and returns what to do once they are parsed; the
/// returned function gives the exit code. It starts MPI itself (collectives::run_session) when it
/// needs ranks, so that `--help` and serial commands never touch MPI. Bad input is an Error. An
/// option --json with the value "-" gets the record onto stdout and all that is printed onto
/// stderr (standard_streams.hpp).
struct Subcommand {
    std::string name;
    std::string summary;  ///< one line for the list of commands
    std::string
        details;  ///< the rest of --help: what it measures, examples, how to read the output
    std::function<std::function<int()>(CLI::App&)> declare;
    RunsOn runs_on = RunsOn::all_ranks;
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
