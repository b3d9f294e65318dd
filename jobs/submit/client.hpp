// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "jobs/submit/child.hpp"
#include "jobs/submit/site.hpp"

namespace shardstone::submit {

/// Throws Error if sbatch or squeue, or what the site has before them, is not there.
void require_client(const Site& site);

/// Runs a client of Slurm to its end, after the site's client_prefix. It does not get those
/// variables of the user with which it would answer for something else than what was asked:
/// SQUEUE_* (SQUEUE_PARTITION hides jobs, which would be submitted twice) and SBATCH_* (which
/// outweigh the directives of a script), but for SBATCH_ACCOUNT. Throws Error as run_command().
Outcome run_client(const Site& site, const std::vector<std::string>& words);

}  // namespace shardstone::submit
