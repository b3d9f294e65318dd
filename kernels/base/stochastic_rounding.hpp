// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <bit>
#include <cstdint>
#include <span>

#include "kernels/base/narrow_float.hpp"

namespace shardstone {

namespace detail {

/// The 16 bits that bf16 drops, as a fraction of its unit in the last place, carry into the ones it
/// keeps when the random fraction, 16 bits as well, fills them up.
constexpr bf16 round_stochastically(float value, std::uint32_t random_bits) {
    const auto word = std::bit_cast<std::uint32_t>(value);
    const bool is_nan = (word & 0x7fffffffU) > 0x7f800000U;
    bf16 result;
    result.bits = static_cast<std::uint16_t>(is_nan ? 0x7fc0U : (word + random_bits) >> 16);
    return result;
}

}  // namespace detail

/// Random numbers of 16 bits that one counter of Philox gives: two of each of its four words, the
/// lower half first.
inline constexpr std::int64_t random_numbers_per_counter = 8;

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
