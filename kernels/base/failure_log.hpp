// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "kernels/base/exit_code.hpp"

namespace shardstone {

// What went wrong, kept where no launcher can lose it: one JSON object per line and per rank that
// has something to say, on the disk before the rank ends:
//
//     {"time": "2026-11-22T10:20:30.123Z", "host": "n1", "rank": 3, "pid": 4711, "phase": "step
//     12",
//      "code": 6, "reason": "cannot write ..."}
//
// The file is there only after a failure: RECORD.failures.jsonl beside the first output that was
// asked for, or where there is none, or it cannot be written (its disk is full, its folder gone),
// shardstone-failures-UID.jsonl in $TMPDIR, or else /tmp; a line there also has "output", the path
// of the output in full. Later runs append to it. Of the process; set up before threads are.

/// Says beside which output the file is to be.
void keep_failures_beside(const std::filesystem::path& output);

/// Where failures of this user are kept that could not be kept beside an output.
std::vector<std::filesystem::path> failure_logs_elsewhere();

/// Says who writes here. Before, it is rank 0 on this host.
void name_speaker(int rank, const std::string& host);

/// Who that is. May be called in a signal handler.
int speaking_rank() noexcept;

/// Says what the process is doing: "step", 12. For any loop: it costs some stores
/// (whereabouts.hpp).
void enter_phase(const char* name, std::int64_t number = -1) noexcept;

/// Appends a line. Says nothing when that cannot be done. May be called in a signal handler.
void note_failure(const char* reason, ExitCode code) noexcept;

/// Writes "shardstone: [rank R on HOST: ]REASON" to stderr in one piece, so that lines of several
/// ranks do not mix. May be called in a signal handler.
void say_failure(const char* reason, bool with_rank) noexcept;

/// Waits until whoever reads what this process wrote to stderr, a launcher, has all of it: a second
/// at most, a tenth of one at least. A launcher told to abort the job reads nothing more.
void let_stderr_drain() noexcept;

}  // namespace shardstone
