// SPDX-License-Identifier: BSD-3-Clause
// The table of exit codes that --help and the manual page show.
#include "kernels/base/exit_code.hpp"

#include <array>

namespace shardstone {

std::span<const ExitCodeMeaning> exit_code_meanings() {
    static constexpr std::array all{
        ExitCodeMeaning{ExitCode::well, "success"},
        ExitCodeMeaning{ExitCode::check_failed, "a check failed; the record says which"},
        ExitCodeMeaning{ExitCode::bad_input,
                        "bad input, or a machine that lacks what was requested"},
        ExitCodeMeaning{ExitCode::diverged,
                        "the training diverged; the record holds the steps up to there"},
        ExitCodeMeaning{ExitCode::stalled, "a rank made no progress, and is named (--stall-after)"},
        ExitCodeMeaning{
            ExitCode::lost_rank,
            "a rank was lost: it has ended, messages with it failed, or its launcher died"},
        ExitCodeMeaning{
            ExitCode::output_lost,
            "an output could not be written (disk full, stdout closed); the others were"},
        ExitCodeMeaning{
            ExitCode::undecided,
            "the verdict is inconclusive, and the record says what it lacks; or points of a "
            "study are under way (submit --status)"},
        ExitCodeMeaning{ExitCode::our_bug, "a bug in Shardstone: please report it"},
        ExitCodeMeaning{ExitCode::interrupted,
                        "stopped by a signal; collectives, train, kernels, study and validate "
                        "record the results so far, if any"},
    };
    return all;
}

}  // namespace shardstone
