// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "jobs/submit/script.hpp"

namespace shardstone::command {

/// Has no GPUs asked for where a point would leave them idle, and says so in the plan's notes.
void leave_idle_gpus(submit::Plan& plan);

/// Says in the plan's notes where its points differ in an option, or fix one, that would change the
/// speed of computations, while a pace that was not chosen for it sets that speed.
void tell_what_a_pace_hides(submit::Plan& plan);

/// Throws Error if the site has options of something that is no command of a study.
void require_known_commands(const submit::Site& site);

/// Before anything is queued: every point's command line is one that this program accepts on as
/// many ranks (parse_words()), of a subcommand that runs on ranks and writes a record. Throws Error
/// naming the point, and those of its options that come from the site where they are to blame.
void require_points_accepted(const submit::Plan& plan);

}  // namespace shardstone::command
