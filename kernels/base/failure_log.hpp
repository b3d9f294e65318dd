// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "kernels/base/exit_code.hpp"

namespace shardstone {

// A log of failures that no launcher can lose: one JSON object per line and per reporting rank, on
// disk before the rank ends:
//
//     {"time": "2026-11-22T10:20:30.123Z", "host": "n1", "rank": 3, "pid": 4711, "phase": "step
//     12",
//      "code": 6, "reason": "cannot write ..."}
//
// The file exists only after a failure: RECORD.failures.jsonl next to the first requested output;
// if there is none, or it cannot be written (its disk is full, its folder missing),
// shardstone-failures-UID.jsonl in $TMPDIR, or else /tmp; a line there also has "output", the full
// path of the output. Later runs append to it. One per process; set up before threads are started.

/// Places the file next to `output`.
void keep_failures_beside(const std::filesystem::path& output);

/// Logs of this user's failures that could not be written next to an output.
std::vector<std::filesystem::path> failure_logs_elsewhere();

/// Sets the rank and host of the writer; until then, rank 0 on this host.
void name_speaker(int rank, const std::string& host);

/// The rank of the writer. May be called in a signal handler.
int speaking_rank() noexcept;

/// Sets the current phase of the process: "step", 12. Usable in any loop: it costs a few stores
/// (whereabouts.hpp).
void enter_phase(const char* name, std::int64_t number = -1) noexcept;

/// Appends a line; silent if that fails. May be called in a signal handler.
void note_failure(const char* reason, ExitCode code) noexcept;

/// Writes "shardstone: [rank R on HOST: ]REASON" to stderr in one piece, so that lines of several
/// ranks do not mix. May be called in a signal handler.
void say_failure(const char* reason, bool with_rank) noexcept;

/// Waits until the reader of this process's stderr (a launcher) has received all of it: at least a
/// tenth of a second, at most one. A launcher told to abort the job stops reading.
void let_stderr_drain() noexcept;

}  // namespace shardstone
