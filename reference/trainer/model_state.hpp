// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "collectives/cluster/communicator.hpp"
#include "reference/trainer/trainer.hpp"

namespace shardstone::reference {

/// Values of all parameters of a model in the flat order of a whole model (ParameterLayout of
/// whole_model), regardless of the ranks they were gathered from.
template <class Real>
struct ModelState {
    std::vector<Real> weights;
    std::vector<Real> gradients;                      ///< reduced, before clipping
    std::vector<Real> first_moments, second_moments;  ///< empty if the optimizer has none
};

/// The state of a trainer's ranks after its last step, on rank 0 of `group` (elsewhere empty).
/// Collective. Throws Error there, naming tensor and element, if ranks that hold the same element
/// have different values, or if no rank holds an element.
template <class Real, class Space>
ModelState<Real> gather_state(const collectives::Communicator& group,
                              Trainer<Real, Space>& trainer);

extern template ModelState<float> gather_state(const collectives::Communicator&, Trainer<float>&);
extern template ModelState<double> gather_state(const collectives::Communicator&, Trainer<double>&);

}  // namespace shardstone::reference
