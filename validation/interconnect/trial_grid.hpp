// SPDX-License-Identifier: BSD-3-Clause
// What tests of pairs would have seen, by kind of fault, severity and budget, on simulated
// clusters.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "collectives/cluster/communicator.hpp"
#include "results/schema/interconnect.hpp"
#include "results/schema/simulated_trials.hpp"
#include "validation/interconnect/test_counts.hpp"
#include "validation/interconnect/trials.hpp"

namespace shardstone::validation {

struct SelfTestOptions {
    SimulatedShape shape;
    SimulatedNoise noise;
    std::vector<Culprit> faults{Culprit::nic_out, Culprit::cable_in, Culprit::port_up,
                                Culprit::node};
    bool healthy = true;  ///< trials without a fault as well
    std::vector<double> rates{0.98, 0.95, 0.9, 0.8,
                              0.7};  ///< of the bad part, over the healthy one
    std::vector<int> repetitions{least_passes, usual_passes};  ///< messages of each test
    int trials = 200;  ///< of each fault, rate and repetitions
    std::uint64_t seed = 1;
};

/// The kinds of faults by name: "nic-out", an outgoing NIC; "healthy" for none.
std::vector<std::string> fault_names();
/// None for "healthy". Throws Error for an unknown name, with all there are.
std::optional<Culprit> fault_of(const std::string& name);

/// Throws Error naming what no cluster or trial can be, as a bad port where all nodes are on one
/// leaf. Local.
void require_possible(const SelfTestOptions& options);

/// What run_self_test() tells, equally on all ranks.
struct SelfTestWatch {
    std::function<void(const std::string&)> began;          ///< a row, in words
    std::function<void(const results::TrialRow&)> counted;  ///< a row with all its trials
    std::function<bool()> stops;  ///< asked between parts of a row; an unfinished one is left out
};

/// Counts the rows of the grid from number `first` on, those before having been counted by an
/// earlier run. The trials are shared out over the ranks, and each is a function of the seed and
/// its number: the counts do not depend on how many ranks there are. Collective.
void run_self_test(const collectives::Communicator& world, const SelfTestOptions& options,
                   std::size_t first, const SelfTestWatch& watch);
/// Rows that a whole run has.
std::size_t rows_of_self_test(const SelfTestOptions& options);

/// Pure.
std::vector<results::DetectionRow> detection_rows(std::span<const results::TrialRow> trials);

/// Messages of each test of a measured validation, at once: its passes. 0 if there are none. Pure.
int passes_in(std::span<const results::PairSampleRow> samples);

/// How the times of pairs at once between nodes scatter in a measured validation, with the largest
/// messages: between pairs, between a pair's messages in passes, and the delayed ones. Throws Error
/// for fewer than three pairs or six passes. Pure.
SimulatedNoise measured_noise(std::span<const results::PairSampleRow> samples,
                              std::span<const results::RankPlaceRow> places);

}  // namespace shardstone::validation
