// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>

#include "results/record/record.hpp"

namespace shardstone::command {

// The next step after a run that was ended: the literal command that continues from its outputs.

/// "mpiexec -n 2 shardstone collectives ... --resume e.json", for the shell: the command of the run
/// with this record, in its folder, with its environment variables, on as many ranks, continuing
/// from the file `from`. Empty if that is impossible: a kind that cannot be continued, or options
/// that prevent it.
std::string command_to_go_on(const results::Record& record, const std::filesystem::path& from);

/// "to continue: COMMAND", empty if there is none.
std::string how_to_go_on(const results::Record& record, const std::filesystem::path& from);

/// Why nothing continues from what a run of this kind left, where one might expect it to; empty of
/// others.
std::string why_it_does_not_go_on(const results::Record& record);

/// Notes that line for a record written to these files ("" and "-": to none), if it is incomplete.
/// For rank 0.
void note_how_to_go_on(const results::Record& record, const std::filesystem::path& json,
                       const std::filesystem::path& hdf5);

/// Prints the noted line on stderr, once: the last output of a command.
void say_how_to_go_on();

}  // namespace shardstone::command
