// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>

#include "kernels/base/narrow_float.hpp"

namespace shardstone {

/// Rounds to one of the two bf16 numbers around each value, to the upper one with the probability
/// that makes the mean the value itself: updates far below half a unit in the last place are then
/// not lost but applied occasionally (Connolly, Higham and Mary, "Stochastic Rounding and Its
/// Probabilistic Backward Error Analysis", SIAM J. Sci. Comput. 43(1), 2021). The probability is a
/// multiple of 2^-16, hence exact for FP32. Numbers representable in bf16, including infinities,
/// are unchanged; NaN becomes bf16's NaN; beyond the largest number the next one is infinity.
///
/// Element i takes random number first + i of the stream (seed, stream) and nothing else, so that
/// the result does not depend on how the tensor is split. `to` has as many elements as `from`.
void narrow_stochastically(std::uint64_t seed, std::uint64_t stream, std::int64_t first,
                           std::span<const float> from, std::span<bf16> to);

}  // namespace shardstone
