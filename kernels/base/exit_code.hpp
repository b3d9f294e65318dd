// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>

namespace shardstone {

/// How a command ended. Scripts tell by it whether to try again, to mend the command line or to
/// look at the machine, so no two reasons share one.
enum class ExitCode : std::uint8_t {
    well = 0,
    check_failed = 1,  ///< it ran, and what it found is wrong; the record tells
    bad_input = 2,     ///< or a machine that lacks what was asked for; mostly before anything ran
    diverged = 3,      ///< a training; the record holds the steps until then
    stalled = 4,       ///< a rank did not move on
    lost_rank = 5,     ///< a rank has ended, messages with it fail, or its launcher has died
    output_lost = 6,   ///< a disk is full, stdout is closed; outputs that could be written are
    undecided = 7,     ///< more samples are needed to tell pass from fail, or runs are under way
    our_bug = 70,      ///< EX_SOFTWARE of sysexits.h
    interrupted = 130,
};

inline constexpr int number_of(ExitCode code) {
    return static_cast<int>(code);
}

struct ExitCodeMeaning {
    ExitCode code;
    const char* meaning;
};

/// Of all of them in order: what --help, the manual page and the tests go by.
std::span<const ExitCodeMeaning> exit_code_meanings();

}  // namespace shardstone
