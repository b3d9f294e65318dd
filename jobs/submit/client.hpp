// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "jobs/submit/child.hpp"
#include "jobs/submit/site.hpp"

namespace shardstone::submit {

/// Throws Error if sbatch or squeue, or what the site has before them, is not there.
void require_client(const Site& site);

/// After which a client of Slurm that was asked something is given up. Such a client connects,
/// sends and receives for up to MessageTimeout each (10 s unless the site sets it; Slurm's own
/// advice is 100 s at most), and where only a standby controller answers it goes on trying for 1.5
/// SlurmctldTimeout (120 s by default) before that: 300 s are no less than either, so that its own
/// words for its failure come first.
inline constexpr std::chrono::minutes longest_answer{5};

/// Runs a client of Slurm that only asks, as ask_command(), with the variables of run_client().
Outcome ask_client(const Site& site, const std::vector<std::string>& words);

/// Runs a client of Slurm to its end, after the site's client_prefix. It does not get those
/// variables of the user with which it would answer for something else than what was asked:
/// SQUEUE_* (SQUEUE_PARTITION hides jobs, which would be submitted twice) and SBATCH_* (which
/// outweigh the directives of a script), but for SBATCH_ACCOUNT. Throws Error as run_command().
Outcome run_client(const Site& site, const std::vector<std::string>& words);

}  // namespace shardstone::submit
