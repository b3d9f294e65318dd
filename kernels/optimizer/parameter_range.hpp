// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>

#include "kernels/tensor/host.hpp"

namespace shardstone {

/// Parameters with their gradients and optimizer state. All spans have the same length, except
/// those of moments that the optimizer does not keep, which are empty.
template <class Real, class Space = Host>
struct ParameterRange {
    template <class T>
    using Span = typename Space::template Span<T>;

    Span<Real> weights;
    Span<const Real> gradients;
    Span<Real> first_moments;   ///< zero before step 1
    Span<Real> second_moments;  ///< zero before step 1

    bool has_moments(int count) const {
        return gradients.size() == weights.size() &&
               (count < 1 || first_moments.size() == weights.size()) &&
               (count < 2 || second_moments.size() == weights.size());
    }
};

}  // namespace shardstone
