// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "collectives/reduction/reduction.hpp"

namespace shardstone::collectives {

/// result[i] = (sources[0][i] (+, max, min) sources[1][i]) (+, max, min) sources[2][i] ... for
/// `count` elements, written to every one of `results`.
///
/// The order is that of the sources, whatever the number of elements and their alignment, so that
/// equal inputs give equal bits. bf16, fp16 and fp8 are widened to FP32, combined there and rounded
/// once, at the end: the error is that of an FP32 sum and one rounding, regardless of the number of
/// sources. For avg the result is the sum; the division (scale_function) is a separate step. A
/// result may be one of the sources, but must not overlap one otherwise. Neither span is empty.
using ReduceAcrossFunction = void (*)(std::span<const std::byte* const> sources,
                                      std::span<std::byte* const> results, std::int64_t count);

ReduceAcrossFunction reduce_across_function(ElementType type, Reduction reduction);

}  // namespace shardstone::collectives
