// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <stddef.h>

// Whether this CPU has what the compiler was allowed to use (-march). Static constructors use it
// already, so the question is put before them all (collectives/session/refuse_cpu.cpp), in code
// that is compiled for the least CPU of this architecture: it calls the C library, and nothing else
// of ours, whose inline functions the linker may take from files that are not.

namespace shardstone {

/// The instruction sets that this program was compiled to use, by the compiler's names, with a null
/// pointer behind them. Constant data, there before any code runs.
extern const char* const required_cpu_features[];

/// Whether this CPU and its system have an instruction set; one of an unknown name, no CPU has.
bool cpu_has(const char* feature) noexcept;

/// Writes those of `required` that this CPU lacks into `text` of `room` bytes: "avx2, fma", cut
/// where there is no more room. Returns how many there are.
int missing_cpu_features(const char* const* required, char* text, size_t room) noexcept;

/// The value of SHARDSTONE_ARCH for the largest set of instructions that this CPU has all of.
const char* nearest_architecture() noexcept;

}  // namespace shardstone
