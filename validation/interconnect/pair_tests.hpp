// SPDX-License-Identifier: BSD-3-Clause
// Passes over pairs of ranks, and the few further tests that suspects call for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "benchmarks/interconnect/link_pass.hpp"
#include "collectives/cluster/communicator.hpp"
#include "validation/interconnect/measure_interconnect.hpp"
#include "validation/interconnect/pair_times.hpp"
#include "validation/interconnect/test_counts.hpp"
#include "validation/interconnect/undecided_limits.hpp"

namespace shardstone::validation {

/// What was just measured is added to the samples and told to the observer; then it is asked
/// whether to stop. Collective.
void take(const InterconnectSamples& part, const InterconnectObserver& observer,
          InterconnectMeasurement& measured);

class PairTests {
  public:
    /// Ranks of a node one pair at a time, if they share cores. All must outlive this object;
    /// `measured` has the places of the ranks, and gets the samples, whose times count from
    /// `began_s` of now_s() on rank 0.
    PairTests(const collectives::Communicator& world, const InterconnectOptions& options,
              const InterconnectObserver& observer, bool share_cores, double began_s,
              InterconnectMeasurement& measured);

    /// All pairs, those between nodes before those inside.
    std::vector<benchmarks::LinkRound> rounds() const;
    /// Passes until `until_s`, by the clock of each rank, but least_passes at least. Collective.
    void run(double until_s);
    /// So many passes over all pairs again while there is time; how many were made. Collective.
    std::int64_t run_again(std::int64_t passes, const UndecidedLimits& limits);

  private:
    benchmarks::LinkPasses passes_over(const std::vector<benchmarks::LinkRound>& rounds) const;
    void pass(benchmarks::LinkPasses& passes, bool alone, bool counts);
    void pass_over_all();
    bool test_further();
    void expect(const std::vector<benchmarks::LinkRound>& rounds);
    std::size_t rounds_left() const;
    std::vector<benchmarks::LinkRound> further_rounds() const;
    std::vector<PairTest> tests_called_for() const;

    const collectives::Communicator& world_;
    const InterconnectOptions& options_;
    const InterconnectObserver& observer_;
    bool share_cores_;
    double began_s_;
    InterconnectMeasurement& measured_;
    double until_s_ = 0.0;
    double round_s_ = 1.0;  ///< that a round of one pair each has taken
    int passes_ = 0;
};

}  // namespace shardstone::validation
