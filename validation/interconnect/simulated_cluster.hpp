// SPDX-License-Identifier: BSD-3-Clause
// A cluster that is described instead of built, with faults, on which pair tests can be run.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/base/random.hpp"
#include "validation/interconnect/components.hpp"
#include "validation/interconnect/pair_times.hpp"

namespace shardstone::validation {

/// Rails as in an 8-GPU node with a NIC per GPU: NIC r of all nodes of a group hangs on one leaf.
struct SimulatedShape {
    int nodes = 128;
    int rails = 8;
    int nodes_per_leaf = 32;  ///< a scalable unit of DGX SuperPOD has 32 nodes and 8 leaves
    int uplinks = 4;          ///< ports of a leaf that traffic upwards is spread over, by receiver
};

/// How the times of healthy tests scatter. The product of lognormal factors: one of each pair and
/// direction, which stays, one of each NIC and direction, which stays, and one of each repetition;
/// and with probability `delay_share` a repetition is delayed by an exponential share of its time.
///
/// Defaults: links of perfectly healthy NICs measure 399.6 to 399.9 of 400 Gb/s (AzNHC issue 152),
/// that is 0.04 % between NICs and repetitions, by perftest, alone, and in one place; streams over
/// MPI in shared fabrics scatter by a few per cent with rare delays. We take one per cent for pairs
/// and repetitions each, 0.2 % for NICs, and a delay of 30 % on average for one in 100.
struct SimulatedNoise {
    double pair_deviation = 0.01;
    double nic_deviation = 0.002;
    double repetition_deviation = 0.01;
    double delay_share = 0.01;
    double mean_delay = 0.3;
};

struct InjectedFault {
    Component component = {};
    double rate = 1.0;  ///< of the healthy rate: 0.9
};

class SimulatedCluster {
  public:
    SimulatedCluster(const SimulatedShape& shape, const SimulatedNoise& noise, std::uint64_t seed);

    const std::vector<Place>& places() const { return places_; }
    void inject(const InjectedFault& fault) { faults_.push_back(fault); }
    const std::vector<InjectedFault>& faults() const { return faults_; }

    /// The times of one entry of a test. A stream is as slow as the slowest component on its way.
    PairTime run(const PairTest& test, int round, int repetitions) const;

    /// All pairs of each rail in both directions, n/2 pairs of each rail at a time.
    std::vector<PairTime> run_round_robin(int repetitions) const;

  private:
    SimulatedShape shape_;
    SimulatedNoise noise_;
    RandomStream random_;
    std::vector<Place> places_;
    std::vector<InjectedFault> faults_;
};

}  // namespace shardstone::validation
