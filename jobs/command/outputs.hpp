// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <functional>
#include <vector>

namespace shardstone::command {

/// Adds --force to a subcommand that writes files; without it, nothing that is there is replaced.
void declare_force(CLI::App& app);

/// The one rule for every file that a command is to write; empty paths are left out. Throws Error,
/// before hours of work, for an output that cannot be written, that is one of `inputs` (which not
/// even --force allows, under whatever name), that is there already unless --force was given, or
/// that is given twice, or where the journal or failure log of another is to be
/// (require_names_apart()); where none of them has 16 MiB left on its disk (a warning for one that
/// has not); likewise where a run that was ended left its journal beside an output
/// (run_journal.hpp), unless that is `resumed`; and, whatever was given, where one that goes on
/// writes its own there. A symbolic link is there even if what it points to is not; the output
/// replaces the link. "-" is stdout where it was given to --json, and refused elsewhere. What
/// appears there only during the run is kept, too, without --force (results::expect_absent()).
///
/// `resumed` is an input, too: the journal or record of the run that this one goes on from. Records
/// of that run, and of those that it went on from, may be replaced by this one's, which holds all
/// that they do; its journal may lie beside an output. Local; for the rank that writes.
void require_outputs_writable(const std::vector<std::filesystem::path>& outputs,
                              const std::vector<std::filesystem::path>& inputs = {},
                              const std::filesystem::path& resumed = {});

/// The same again of the outputs that it last allowed, after what may have taken minutes: another
/// run may have come to the same names meanwhile.
void require_outputs_still_writable();

/// The outputs are written: of each that was there before, or whose journal was, the failure log
/// (failure_log.hpp) goes as it was when the outputs were allowed: lines since then stay.
void forget_failures_of_replaced();

/// Does all of these, each of which writes an output, whatever becomes of the others; then throws
/// one Error that names every one that failed.
void write_each(const std::vector<std::function<void()>>& writes);

/// Makes the folder and those above it. Throws Error naming it and the reason.
void make_folder(const std::filesystem::path& folder);

}  // namespace shardstone::command
