// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace shardstone::command {

/// What --json takes for stdout.
inline constexpr const char* stdout_name = "-";

/// Occupies descriptors 0 to 2 where the caller closed them, so that no file that is opened later
/// becomes one of them and has tables written into it; writing to one still fails. Call it first.
void occupy_standard_descriptors();

/// From now on printing never fails, which would end a run whose record is still to be written:
/// what does not get through is dropped, and code_after_flush() says so at the end. Call it before
/// anything is printed.
void forgive_failed_prints();

/// From now on a reader of stdout or stderr who leaves does not end the process, as for `| head`
/// without a record: what is measured goes to files.
void outlive_readers();

/// From now on what is printed goes to stderr, and stdout is for the record alone.
void reserve_stdout_for_json();
bool stdout_is_for_json();

/// Writes to stdout, past what is printed. Throws Error with ExitCode::output_lost.
void write_to_stdout(const std::string& text);

/// Says in one line when what was printed did not reach stdout (a full disk), and gives the exit
/// code of a command that ends with `code`: where that is well, then ExitCode::output_lost. A
/// reader who left is no failure. Call it last.
int code_after_flush(int code);

}  // namespace shardstone::command
