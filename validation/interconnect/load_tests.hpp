// SPDX-License-Identifier: BSD-3-Clause
// Passes over loads of the network, as many as there is time for.
#pragma once

#include <cstdint>

#include "benchmarks/interconnect/congestion.hpp"
#include "collectives/cluster/communicator.hpp"
#include "validation/interconnect/measure_interconnect.hpp"
#include "validation/interconnect/undecided_limits.hpp"

namespace shardstone::validation {

class LoadTests {
  public:
    /// All must outlive this object; `measured` gets the samples. Of two nodes or more.
    LoadTests(const collectives::Communicator& world, const InterconnectOptions& options,
              const InterconnectObserver& observer, InterconnectMeasurement& measured)
        : world_(world), options_(options), observer_(observer), measured_(measured) {}

    /// Passes for so many seconds, but least_passes at least. Collective.
    void run(double budget_s);
    /// So many more while there is time; how many were made. Collective.
    std::int64_t run_again(std::int64_t passes, const UndecidedLimits& limits);

  private:
    benchmarks::Congestion congestion() const;
    void pass(benchmarks::Congestion& congestion, bool counts);

    const collectives::Communicator& world_;
    const InterconnectOptions& options_;
    const InterconnectObserver& observer_;
    InterconnectMeasurement& measured_;
    int passes_ = 0;
};

}  // namespace shardstone::validation
