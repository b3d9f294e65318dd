// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace shardstone::command {

/// What --json takes for stdout.
inline constexpr const char* stdout_name = "-";

/// Occupies descriptors 0 to 2 where the caller closed them, so that no file that is opened later
/// becomes one of them and has tables written into it; writing to one still fails. Call it first.
void occupy_standard_descriptors();

/// From now on what is printed goes to stderr, and stdout is for the record alone.
void reserve_stdout_for_json();
bool stdout_is_for_json();

/// Writes to stdout, past what is printed. Throws Error with the reason when that fails.
void write_to_stdout(const std::string& text);

/// The exit code of a command that ends with `code`: 2, said in one line, when what it printed did
/// not reach stdout (a full disk) and nothing worse has been said. Call it last.
int code_after_flush(int code);

}  // namespace shardstone::command
