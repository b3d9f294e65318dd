// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>

#include "reference/step/pricing/plan_costs.hpp"
#include "reference/trainer/options.hpp"

namespace shardstone::reference {

/// The device of a rank of a paced training: it is busy with a computation for as long as a device
/// of the given rates would be (PlanCosts), and the rank, which only waits for it, is idle.
///
/// As in the queue of a device, a computation begins when the one before it has ended, however late
/// the rank was to ask for it; but not before what the rank has waited for.
class PacedDevice {
  public:
    /// options.pace is given.
    PacedDevice(const TrainOptions& options, int rank);

    /// The next computation begins now at the earliest.
    void hold();
    /// Returns when a computation of the step program has ended. Meanwhile calls `progress` now and
    /// then, while it says that there is something to progress.
    void compute(const Action& action, const std::function<bool()>& progress);

  private:
    PlanCosts costs_;
    int rank_;
    double free_s_ = 0.0;  ///< when the device has done all that it was given
};

}  // namespace shardstone::reference
