// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace shardstone::submit {

/// The first option among these words for sbatch on which `submit` decides for every job, as it is
/// written there ("--job-name", "-J", "--job" for short); empty if there is none. With it jobs
/// would not be found again, would not hold their points, or say elsewhere how they went.
/// `asks_for_gpus`: so that --gres is among them.
std::string option_of_submit_in(const std::string& words, bool asks_for_gpus);

}  // namespace shardstone::submit
