// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>

namespace shardstone::submit {

/// Empty if the file cannot be read.
std::string text_or_nothing(const std::filesystem::path& file);

/// "2026-11-26 17:01:32", with which the lines of a job's script begin that tell how far it is; ""
/// of others.
std::string time_in_script(const std::string& line);

/// `text` on one line in which nothing acts on a terminal: a byte that is not UTF-8 as \xNN,
/// control characters as '?'.
std::string printable(const std::string& text);

/// What a run said last of why it ended: the program's own words, else Slurm's, the launcher's or
/// the disk's, and what only sums up how tasks ended where there is nothing else; "" without any.
std::string reason_line(const std::string& text);

/// Whether a rank says here that MPI ended it because of another one, which tells less than what
/// anybody says of that one (interrupt.cpp).
bool tells_of_another_rank(const std::string& line);

/// Its last line that does not only tell how far it was, or how srun goes about it; "" if there is
/// none.
std::string last_words(const std::string& text);

/// The first of these two that there is.
std::string telling_line(const std::string& text);

/// What mpiexec prints to stdout of a rank that a signal ended: "mpiexec ended it: Killed (signal
/// 9)"; "" if it does not.
std::string launchers_verdict(const std::string& text);

/// "signal 9: Killed" of 137, as shells and Child tell a program that a signal ended, and what our
/// own code of signals means; "" of other codes.
std::string signal_of_exit_code(const std::string& code);

/// The line in which a validation that is done says FAIL or INCONCLUSIVE, with the first reason of
/// those in a list below it; "" if there is none.
std::string verdict_line(const std::string& text);

/// What a run that is done found, from what it printed: "11230 tokens/s", if it is a training, and
/// "disturbed (at worst others took 97 % of 2 cores)": once, however many of its parts were.
std::string found_line(const std::string& text);

}  // namespace shardstone::submit
