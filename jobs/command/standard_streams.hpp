// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace shardstone::command {

/// The value of --json that means stdout.
inline constexpr const char* stdout_name = "-";

/// Occupies descriptors 0 to 2 if the caller closed them, so that no file opened later gets one of
/// them and has tables written into it; writing to one still fails. Call it first.
void occupy_standard_descriptors();

/// From now on printing never fails, which would end a run whose record is still to be written:
/// failed output is dropped, and code_after_flush() reports it at the end. Call it before anything
/// is printed.
void forgive_failed_prints();

/// From now on a reader of stdout or stderr that closes its end does not end the process, as `|
/// head` does without a record: measurements are written to files.
void outlive_readers();

/// From now on printed output goes to stderr, and stdout is reserved for the record.
void reserve_stdout_for_json();
bool stdout_is_for_json();

/// Writes to stdout, bypassing printed output. Throws Error with ExitCode::output_lost.
void write_to_stdout(const std::string& text);

/// Whether printed output did not reach stdout (a full disk). A reader that closed its end is not a
/// failure.
bool prints_were_lost();

/// Reports in one line if printed output did not reach stdout (a full disk), and returns the exit
/// code of a command that ends with `code`: in that case ExitCode::output_lost in place of
/// ExitCode::well. A reader that closed its end is not a failure. Call it last.
int code_after_flush(int code);

}  // namespace shardstone::command
