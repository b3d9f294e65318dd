// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>

#include "reference/model/parameter_layout.hpp"

namespace shardstone::reference {

/// Fills `weights` (layout.count() elements) with the initial values of every tensor: a function of
/// (seed, parameter name, element index) alone. Drawn in FP32, so that a double model starts from
/// exactly the weights of a float one.
template <class Real>
void fill_initial_weights(const ParameterLayout& layout, std::uint64_t seed,
                          std::span<Real> weights);

extern template void fill_initial_weights(const ParameterLayout&, std::uint64_t, std::span<float>);
extern template void fill_initial_weights(const ParameterLayout&, std::uint64_t, std::span<double>);

}  // namespace shardstone::reference
