// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string_view>

#include "kernels/base/element_type.hpp"

namespace shardstone::collectives {

/// An average is the sum over all ranks, divided once, at the end, by their number.
enum class Reduction : std::uint8_t { sum, max, min, avg };

std::string_view to_string(Reduction reduction);

/// "sum", "max", "min", "avg". Throws Error naming the value and the choices.
Reduction parse_reduction(std::string_view name);

/// mine[i] = mine[i] (+, max, min) theirs[i] for `count` elements that do not overlap; + for avg.
///
/// bf16, fp16 and fp8 are widened to FP32, combined there and rounded once, to nearest even, and
/// fp8_e4m3 sums saturate. Integer sums wrap around. max and min keep a NaN. All are bitwise
/// commutative, so that two ranks that exchange halves agree (only which NaN an FP32 or FP64 sum of
/// two gives is the processor's choice).
using ReduceFunction = void (*)(void* mine, const void* theirs, std::int64_t count);

ReduceFunction reduce_function(ElementType type, Reduction reduction);

/// buffer[i] = buffer[i] / ranks for `count` elements, the last step of an average: one division,
/// rounded once, in FP32 for bf16, fp16 and fp8. Integers are truncated toward zero, as C++ has it.
/// `ranks` is at least 1.
using ScaleFunction = void (*)(void* buffer, std::int64_t count, int ranks);

ScaleFunction scale_function(ElementType type);

}  // namespace shardstone::collectives
