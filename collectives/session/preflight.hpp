// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "collectives/cluster/communicator.hpp"
#include "collectives/session/leftovers.hpp"

namespace shardstone::collectives {

/// Findings before a run, on rank 0; empty elsewhere. None of them prevents the run from starting.
struct PreflightFindings {
    std::vector<std::string> warnings;  ///< each a line with a remedy
    Leftovers leftovers;                ///< of this node
};

/// Checks, on every rank and in some milliseconds, for conditions that would otherwise end a run
/// after hours: the memory within its limits, descriptors (whose limit it raises as far as
/// permitted), whether threads can be started, and whether the nodes' clocks agree; removes
/// leftovers of killed runs in /dev/shm (clear_leftovers()). Throws AgreedError naming rank, node
/// and limit if a rank cannot run. Collective.
PreflightFindings preflight(const Communicator& world);

/// Provable differences between clocks. Each rank read its own before and after one barrier, so
/// that all readings before are older than all after. Least number of seconds by which a rank's
/// clock is ahead of the median rank's (negative: behind); 0 if they may be equal. Pure.
std::vector<double> proved_clock_offsets(std::span<const double> before_s,
                                         std::span<const double> after_s);

/// Warning for a node whose clock is this far ahead of the others' (negative: behind); empty if
/// that is 2 s or less. Pure.
std::optional<std::string> clock_warning(double offset_s);

/// Result of checking a limit of descriptors: nothing, a warning with a remedy, or an Error if not
/// even files can be opened. `open`: number of open descriptors; `ranks`: those of the job. Pure.
std::optional<std::string> judge_descriptors(long most, int open, int ranks);

}  // namespace shardstone::collectives
