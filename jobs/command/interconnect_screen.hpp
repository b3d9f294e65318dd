// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "validation/interconnect/findings.hpp"

namespace shardstone::command {

/// What a reader must know of a run beside its findings.
struct RunOfInterconnect {
    std::string stopped_after;    ///< what was done of a run that a signal stopped; empty: it ended
    std::string gpu = {};         ///< the name of those between which messages were passed
    bool declared_nodes = false;  ///< by --ranks-per-node, instead of nodes as found
    std::string counts;           ///< verdict_counts() of its record
};

/// Output of a run that a rank ended which failed or stalled: what was done, and why there is no
/// verdict.
void print_early_end(const std::string& done, const std::string& reason);

/// Output of `validate interconnect`: the verdict with its counts, its reasons, suspects with their
/// rivals, limits, then paths, congestion, traffic, ranks and clocks in short, the matrix of rates
/// of the largest size, and whether the machine was disturbed. For rank 0.
void print_interconnect(const validation::InterconnectFindings& findings,
                        const validation::InterconnectSamples& samples,
                        const RunOfInterconnect& run);

}  // namespace shardstone::command
