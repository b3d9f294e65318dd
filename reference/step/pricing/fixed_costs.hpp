// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "reference/step/timeline.hpp"

namespace shardstone::reference {

/// Every stage pass takes the same time on all parts of the model, regardless of their contents:
/// the assumption behind the closed forms of schedules (schedules/schedule.hpp). Recomputation,
/// norm and update take no time, nor does communication unless stated.
struct FixedCosts : StepCosts {
    double forward_s = 1.0;         ///< of a micro-batch through a chunk
    double backward_input_s = 1.0;  ///< the two halves of its backward pass
    double backward_weight_s = 1.0;
    double message_time_s = 0.0;
    double transfer_time_s = 0.0;

    FixedCosts(double forward, double backward_input, double backward_weight)
        : forward_s(forward),
          backward_input_s(backward_input),
          backward_weight_s(backward_weight) {}

    /// The whole stage pass is assigned to the chunk's first unit.
    double compute_s(int rank, const Action& action) const override;
    double message_s(int, const Action&) const override { return message_time_s; }
    double transfer_s(int, const GroupTransfer&) const override { return transfer_time_s; }
};

}  // namespace shardstone::reference
