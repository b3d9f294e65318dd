// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>

#include "reference/step/timeline.hpp"

namespace shardstone::reference {

/// Breakdown of a rank's time, from the start of the step to its end on the last rank; the parts
/// add up to it.
struct TimeSplit {
    double passes_s = 0.0;
    double optimizer_s = 0.0;  ///< norm and update
    /// Waiting while a message or transfer of this kind of group is in progress (for the pipeline,
    /// the messages between stages).
    PerGroup<double> exposed_s;
    double idle_s = 0.0;  ///< waiting for others to begin or to end

    double total_s() const;
    double all_exposed_s() const;
};

/// For one rank; timeline and costs are those of the step. Waiting is attributed to the
/// communication that ends it, for as long as any communication of the rank in that group is in
/// progress; the rest is idle.
TimeSplit time_split(const StepProgram& program, const Timeline& timeline, const StepCosts& costs,
                     int rank);

}  // namespace shardstone::reference
