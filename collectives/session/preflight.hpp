// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "collectives/cluster/communicator.hpp"
#include "collectives/session/leftovers.hpp"

namespace shardstone::collectives {

/// What was found before a run, on rank 0; empty elsewhere. None of it keeps the run from starting.
struct PreflightFindings {
    std::vector<std::string> warnings;  ///< each a line that says what to do
    Leftovers leftovers;                ///< of this node
};

/// Looks at what would end a run after hours, on every rank, in some milliseconds: memory that its
/// limits leave, descriptors (whose limit it raises as far as it may), whether threads can be
/// started; whether the nodes' clocks agree; clears what killed runs left in /dev/shm
/// (clear_leftovers()). Throws AgreedError naming rank, node and limit where a rank cannot do its
/// part. Collective.
PreflightFindings preflight(const Communicator& world);

/// How far clocks are apart beyond doubt. Each rank read its own before and after one barrier, so
/// that all readings before are older than all after. Seconds that a rank's clock is ahead of the
/// median rank's, at least (negative: behind, at least); 0 where they may be equal. Pure.
std::vector<double> proved_clock_offsets(std::span<const double> before_s,
                                         std::span<const double> after_s);

/// What is said of a node whose clock is so far ahead of the others' (negative: behind); nothing
/// where that is 2 s or less. Pure.
std::optional<std::string> clock_warning(double offset_s);

/// What a limit of descriptors is, and what is to be done about it: nothing, a warning, or an Error
/// where not even files can be opened. `open`: how many are; `ranks`: all of the job. Pure.
std::optional<std::string> judge_descriptors(long most, int open, int ranks);

}  // namespace shardstone::collectives
