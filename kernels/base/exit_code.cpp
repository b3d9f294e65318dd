// SPDX-License-Identifier: BSD-3-Clause
// The table of exit codes that --help and the manual page show.
#include "kernels/base/exit_code.hpp"

#include <array>

namespace shardstone {

std::span<const ExitCodeMeaning> exit_code_meanings() {
    static constexpr std::array all{
        ExitCodeMeaning{ExitCode::well, "all well"},
        ExitCodeMeaning{ExitCode::check_failed, "a check failed; the record says which"},
        ExitCodeMeaning{ExitCode::bad_input,
                        "bad input, or a machine that lacks what was asked for"},
        ExitCodeMeaning{ExitCode::diverged,
                        "the training diverged; the record holds the steps until then"},
        ExitCodeMeaning{ExitCode::stalled, "a rank did not go on, and is named (--stall-after)"},
        ExitCodeMeaning{ExitCode::lost_rank,
                        "a rank was lost: messages with it failed, or its launcher died"},
        ExitCodeMeaning{
            ExitCode::output_lost,
            "an output could not be written (disk full, stdout closed); the others are"},
        ExitCodeMeaning{ExitCode::our_bug, "an error of ours: please report it"},
        ExitCodeMeaning{ExitCode::interrupted,
                        "stopped by a signal; collectives, train, kernels, study and validate "
                        "record what they had, if anything"},
    };
    return all;
}

}  // namespace shardstone
