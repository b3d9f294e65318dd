// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>

#include "results/record/record.hpp"

namespace shardstone::command {

// What to do next after a run that was ended: the literal command that goes on from what it left.

/// "mpiexec -n 2 shardstone collectives ... --resume e.json", for the shell: the command of the run
/// whose record this is, in its folder, with its environment variables, on as many ranks, going on
/// from the file `from`. Empty where that cannot be: a kind that does not go on, or options that
/// keep it from it.
std::string command_to_go_on(const results::Record& record, const std::filesystem::path& from);

/// "to continue: COMMAND", empty if there is none.
std::string how_to_go_on(const results::Record& record, const std::filesystem::path& from);

/// Notes that line for a record that was written to these files ("" and "-": to none), where it is
/// incomplete. For rank 0.
void note_how_to_go_on(const results::Record& record, const std::filesystem::path& json,
                       const std::filesystem::path& hdf5);

/// Says on stderr what was noted, once: the last thing that a command says.
void say_how_to_go_on();

}  // namespace shardstone::command
