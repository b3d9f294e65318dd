// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>

#include "reference/model/parameter_layout.hpp"

namespace shardstone::reference {

/// Fills `weights` with the initial values of the elements of the flat buffer from `first` on:
/// GPT-2's, normal(0, 0.02), residual projections scaled by 1/sqrt(2 L), norms 1, biases 0. Each is
/// a function of (seed, parameter name, element index in the whole tensor) alone, independent of
/// the part of the model. Drawn in FP32, so that a double model starts from exactly the weights of
/// a float one.
template <class Real>
void fill_initial_weights(const ParameterLayout& layout, std::uint64_t seed, std::int64_t first,
                          std::span<Real> weights);

extern template void fill_initial_weights(const ParameterLayout&, std::uint64_t, std::int64_t,
                                          std::span<float>);
extern template void fill_initial_weights(const ParameterLayout&, std::uint64_t, std::int64_t,
                                          std::span<double>);

}  // namespace shardstone::reference
