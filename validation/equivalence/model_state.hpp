// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "reference/trainer/model_state.hpp"

namespace shardstone::validation {

using reference::gather_state;
using reference::ModelState;

/// What a training step left behind.
template <class Real>
struct StepState {
    double loss = 0.0;
    double gradient_norm = 0.0;
    ModelState<Real> model;
    /// The update was left out, because gradients had overflowed: they and the norm say nothing.
    bool skipped = false;
};

}  // namespace shardstone::validation
