// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "reference/model/parameter_layout.hpp"
#include "validation/equivalence/model_state.hpp"

namespace shardstone::validation {

/// Difference::relative where nothing is allowed.
inline constexpr double no_bound = std::numeric_limits<double>::infinity();

/// The first place where a layout's training parts from what it should be: searched step by step,
/// the loss, the gradients, the norm, the weights, the moments, tensors in the order of the model.
struct Difference {
    std::int64_t step = 0;
    std::string where;      ///< "loss", "gradient of blocks.1.norm1.bias", "weight of ..."
    double relative = 0.0;  ///< deviation over what is allowed; infinite where nothing is

    std::string text() const;
};

/// Losses, norms and states of all steps, bit by bit; of a step whose update both leave out all but
/// gradients and norm, which have overflowed.
template <class Real>
std::optional<Difference> first_difference(const reference::ParameterLayout& layout,
                                           const std::vector<StepState<Real>>& expected,
                                           const std::vector<StepState<Real>>& actual);

/// What the optimizer has changed: weights and moments.
template <class Real>
std::optional<Difference> first_unequal_state(const reference::ParameterLayout& layout,
                                              std::int64_t step, const ModelState<Real>& expected,
                                              const ModelState<Real>& actual);

extern template std::optional<Difference> first_unequal_state(const reference::ParameterLayout&,
                                                              std::int64_t,
                                                              const ModelState<float>&,
                                                              const ModelState<float>&);
extern template std::optional<Difference> first_unequal_state(const reference::ParameterLayout&,
                                                              std::int64_t,
                                                              const ModelState<double>&,
                                                              const ModelState<double>&);
extern template std::optional<Difference> first_difference(const reference::ParameterLayout&,
                                                           const std::vector<StepState<float>>&,
                                                           const std::vector<StepState<float>>&);
extern template std::optional<Difference> first_difference(const reference::ParameterLayout&,
                                                           const std::vector<StepState<double>>&,
                                                           const std::vector<StepState<double>>&);

}  // namespace shardstone::validation
