// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string_view>

#include "kernels/base/element_type.hpp"

namespace shardstone::collectives {

enum class Reduction : std::uint8_t { sum, max, min };

std::string_view to_string(Reduction reduction);

/// "sum", "max", "min". Throws Error naming the value and the choices.
Reduction parse_reduction(std::string_view name);

/// mine[i] = mine[i] (+, max, min) theirs[i] for `count` elements that do not overlap.
///
/// bf16 and fp16 are widened to FP32, combined there and rounded once, to nearest even. Sums are
/// commutative to the bit, so that two ranks that exchange halves agree.
using ReduceFunction = void (*)(void* mine, const void* theirs, std::int64_t count);

ReduceFunction reduce_function(ElementType type, Reduction reduction);

}  // namespace shardstone::collectives
