// SPDX-License-Identifier: BSD-3-Clause
// The measurements behind a validation of the interconnect.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "benchmarks/harness/surroundings.hpp"
#include "collectives/cluster/communicator.hpp"
#include "validation/interconnect/findings.hpp"

namespace shardstone::validation {

struct InterconnectOptions {
    /// Of the messages: the smallest for latency, the largest for rate. Multiples of 8, ascending,
    /// each once.
    std::vector<std::int64_t> sizes_bytes{8, 64 << 10, 4 << 20};
    bool alone = false;               ///< one pair at a time
    bool pairs = true, ranks = true;  ///< which of the tests are made; one of them at least
    /// Seconds for all measurements. Each is made at least the least number of times, which may
    /// take longer.
    double budget_s = 60.0;
    double soak_s = 0.0;  ///< seconds of a soak after them (soak.hpp); 0: none
    std::vector<AcceptanceLimit> limits;
};

/// Whom the measurement tells, on every rank.
struct InterconnectObserver {
    std::function<void(const std::string&)> progress;  ///< what is measured now
    /// What was just measured, complete on rank 0: for the journal.
    std::function<void(const InterconnectSamples&)> took;
    /// Whether to stop early; equal on all ranks. Collective.
    std::function<bool()> stops;
};

struct InterconnectMeasurement {
    InterconnectSamples samples;  ///< complete on rank 0
    std::size_t expected = 0;     ///< samples of pairs and ranks that were to be taken
    bool stopped = false;         ///< early; equal on all ranks
    std::vector<benchmarks::Surroundings> surroundings;  ///< all that was watched
};

/// Throws Error for sizes that cannot be measured, also because no rank has the memory for a
/// message if this many are on a node. Local.
void require_measurable(const InterconnectOptions& options, int ranks_on_node);

/// Passes over all pairs of nodes and all pairs of ranks inside nodes, as many as the budget allows
/// (7 to 24, after one to open connections, whose times do not count); then the few further tests
/// that the suspects call for, one pair at a time; then the tests of ranks; then the soak, if there
/// is to be one. `earlier`: what a run that this one goes on from measured, on rank 0; if that has
/// windows of a soak, only the soak goes on, otherwise it must be empty. Collective.
InterconnectMeasurement measure_interconnect(const collectives::Communicator& world,
                                             const InterconnectOptions& options,
                                             const InterconnectObserver& observer,
                                             InterconnectSamples earlier);

}  // namespace shardstone::validation
