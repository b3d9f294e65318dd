// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>

namespace shardstone {

/// Elements per partial sum of sum_of_squares. A range that starts at a multiple of it is summed as
/// it is inside a longer one.
inline constexpr std::int64_t norm_block = 4096;

/// Sum of the squares in double, in a fixed order: one partial sum per norm_block elements, those
/// added one after the other. The same bits for the same data, whatever the number of threads.
template <class Real>
double sum_of_squares(std::span<const Real> values);

extern template double sum_of_squares(std::span<const float>);
extern template double sum_of_squares(std::span<const double>);

/// The factor that brings a global norm down to `limit`: limit / norm when norm is over it, else 1;
/// limit <= 0 means no clipping. The norm is the root of the sum of squares over every parameter of
/// the model, each counted once (Pascanu, Mikolov and Bengio 2013). A norm that is not finite gives
/// a factor that is not finite, so that a diverged run shows.
double clipping_factor(double norm, double limit);

}  // namespace shardstone
