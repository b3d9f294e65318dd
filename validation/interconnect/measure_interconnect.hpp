// SPDX-License-Identifier: BSD-3-Clause
// The measurements behind a validation of the interconnect.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "benchmarks/harness/surroundings.hpp"
#include "collectives/cluster/communicator.hpp"
#include "validation/interconnect/findings.hpp"
#include "validation/interconnect/interconnect_options.hpp"

namespace shardstone::validation {

/// Whom the measurement tells, on every rank.
struct InterconnectObserver {
    std::function<void(const std::string&)> progress;  ///< what is measured now
    /// What was just measured, complete on rank 0: for the journal.
    std::function<void(const InterconnectSamples&)> took;
    /// Whether to stop early; equal on all ranks. Collective.
    std::function<bool()> stops;
    /// What comes next, and ends before a stop: "this pass over the pairs", a text that lasts.
    std::function<void(const char*)> stops_after;
};

struct InterconnectMeasurement {
    InterconnectSamples samples;  ///< complete on rank 0
    std::size_t expected = 0;     ///< samples that were to be taken, those of a soak left out
    /// Of the timed messages of pairs, loads and a soak, those that were compared; on rank 0.
    std::int64_t compared_bytes = 0;
    bool stopped = false;                                    ///< early; equal on all ranks
    double tests_s = 0.0;                                    ///< that all tests but a soak took
    std::vector<std::pair<std::string, double>> parts = {};  ///< of these, and seconds of each
    double turns_again_s = 0.0;                              ///< of the tests of ranks, if one
                                                             ///< may be slow (more_turns.hpp)
    std::vector<benchmarks::Surroundings> surroundings;      ///< all that was watched
};

/// Clocks are read; then passes over all pairs of nodes and all pairs of ranks inside nodes, as
/// many as the budget allows (7 to 24, after one to open connections, whose times do not count);
/// then the few further tests that the suspects call for, one pair at a time; then passes over
/// loads of the network, 7 at least; then the tests of ranks, up to three times as many if one may
/// be slow (more_turns.hpp); then, while limits are undecided and the budget is not spent, more
/// samples of what they are on, from one look to the next (looks.hpp); clocks are read again; then
/// the soak, if there is to be one. `earlier`: what a run that this one goes on from measured, on
/// rank 0; if that has windows of a soak, only the soak goes on; otherwise it has no places, and
/// what is measured joins it.
/// Collective.
InterconnectMeasurement measure_interconnect(collectives::Communicator& world,
                                             const InterconnectOptions& options,
                                             const InterconnectObserver& observer,
                                             InterconnectSamples earlier);

}  // namespace shardstone::validation
