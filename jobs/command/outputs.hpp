// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <functional>
#include <vector>

namespace shardstone::command {

/// Adds --force to a subcommand that writes files; without it, nothing that exists is replaced.
void declare_force(CLI::App& app);

/// The common rule for every output file of a command; empty paths are ignored. Throws Error,
/// before hours of work, for an output that cannot be written, that is one of `inputs` (which not
/// even --force allows, under any name), that already exists unless --force was given, that is
/// given twice, or that is in the place of the journal or failure log of another
/// (require_names_apart()); if none of them has 16 MiB left on its disk (a warning for one that has
/// not); likewise if a run that was ended left its journal next to an output (run_journal.hpp),
/// unless that is `resumed`; and, regardless of the options, if a run still in progress writes its
/// own there. A symbolic link counts as existing even if its target does not; the output replaces
/// the link. "-" is stdout if given to --json, and refused elsewhere. Files that appear there only
/// during the run are also kept without --force (results::expect_absent()).
///
/// `resumed` is also an input: the journal or record of the run that this one continues. Records of
/// that run, and of those that it continued, may be replaced by this one's, which contains all
/// their data; its journal may be next to an output. Local; for the rank that writes.
void require_outputs_writable(const std::vector<std::filesystem::path>& outputs,
                              const std::vector<std::filesystem::path>& inputs = {},
                              const std::filesystem::path& resumed = {});

/// Repeats the check for the outputs last allowed, after work that may have taken minutes: another
/// run may have written to the same names meanwhile.
void require_outputs_still_writable();

/// To be called once the outputs are written: for each one that existed before, or whose journal
/// did, removes the failure log (failure_log.hpp) up to its length when the outputs were allowed:
/// lines since then are kept.
void forget_failures_of_replaced();

/// Executes all of these, each of which writes an output, regardless of failures of the others;
/// then throws one Error that names every one that failed.
void write_each(const std::vector<std::function<void()>>& writes);

/// Creates the folder and its parents, then calls `require_usable`; if that throws, what was
/// created is removed again. Throws Error naming the folder if it cannot be created.
void make_folder(const std::filesystem::path& folder, const std::function<void()>& require_usable);

}  // namespace shardstone::command
