// SPDX-License-Identifier: BSD-3-Clause
// How a command ends that a signal stopped before it had anything to keep.
#include "jobs/command/stopped.hpp"

#include <fmt/format.h>

#include "jobs/command/run_journal.hpp"
#include "kernels/base/error.hpp"
#include "kernels/base/exit_code.hpp"
#include "kernels/base/failure_log.hpp"
#include "kernels/base/interrupt.hpp"

namespace shardstone::command {

bool any_interrupted(const collectives::Communicator& world) {
    return world.max(interrupted() ? 1.0 : 0.0) > 0.0;
}

int end_without_record(const std::string& measured) {
    end_journal();
    const auto text = fmt::format(
        "stopped by SIGINT or SIGTERM: nothing was {}, so no record is written", measured);
    say_failure(text.c_str(), /*with_rank=*/false);
    return number_of(ExitCode::interrupted);
}

int end_without_record(const collectives::Communicator& world, const std::string& measured) {
    return world.is_root() ? end_without_record(measured) : number_of(ExitCode::interrupted);
}

}  // namespace shardstone::command
