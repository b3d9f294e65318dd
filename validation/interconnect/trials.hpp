// SPDX-License-Identifier: BSD-3-Clause
// What the inference would have seen: detection, localisation and false alarms on simulated
// clusters.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "validation/interconnect/next_tests.hpp"
#include "validation/interconnect/simulated_cluster.hpp"
#include "validation/interconnect/suspects.hpp"

namespace shardstone::validation {

/// How many components of a kind are bad in each trial, and how bad. Which ones is drawn.
struct FaultsOfKind {
    Culprit culprit = Culprit::nic;
    int count = 1;
    double rate = 0.9;  ///< of the healthy rate
};

struct TrialSettings {
    SimulatedShape shape = {};
    SimulatedNoise noise = {};
    SuspicionSettings suspicion = {};
    NextTestsSettings next = {};
    int repetitions = 3;   ///< of each test of the round robin, and of each entry of a further test
    int most_batches = 3;  ///< of further tests; 0: the round robin alone
    std::uint64_t seed = 1;
};

struct TrialCounts {
    std::int64_t trials = 0;
    std::int64_t faults = 0;         ///< injected
    std::int64_t detected = 0;       ///< of these, those at whose place anything is suspected
    std::int64_t localised = 0;      ///< of these, those that are named, with the direction
    std::int64_t all_right = 0;      ///< trials that name all faults and nothing else
    std::int64_t false_alarms = 0;   ///< trials that suspect anything where no fault is
    std::int64_t further_tests = 0;  ///< beyond the round robin
    std::int64_t undecided = 0;      ///< suspects below the probability `next.decided` in the end
};

/// Trials first, ..., first + count - 1, each a function of the seed and its number: round robin,
/// suspicion, then batches of further tests until all is decided or `most_batches` were run. No two
/// faults of a trial are at one place.
TrialCounts run_trials(std::span<const FaultsOfKind> faults, const TrialSettings& settings,
                       int first, int count);

/// Whether a repair would begin at the same place: a node and one of its NICs, a NIC and its cable,
/// one port, one pair.
bool at_one_place(const Component& one, const Component& other);

TrialCounts operator+(const TrialCounts& one, const TrialCounts& other);

/// One trial: the suspicion at the end, with the number of further tests.
struct TrialEnd {
    Suspicion suspicion = {};
    int further_tests = 0;
};
TrialEnd run_until_decided(const SimulatedCluster& cluster, const TrialSettings& settings);

}  // namespace shardstone::validation
