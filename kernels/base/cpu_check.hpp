// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <stddef.h>

// Check that this CPU has the instructions that the compiler was allowed to use (-march). Static
// constructors already use them, so the check runs before all of them
// (collectives/session/refuse_cpu.cpp), in code compiled for the baseline CPU of this architecture:
// it calls the C library and no other code of ours, because the linker may take our inline
// functions from files that are not compiled for the baseline.

namespace shardstone {

/// The instruction sets that this program was compiled to use, by the compiler's names, terminated
/// by a null pointer. Constant data, available before any code runs.
extern const char* const required_cpu_features[];

/// Whether this CPU and its system have an instruction set; false for unknown names.
bool cpu_has(const char* feature) noexcept;

/// Writes those of `required` that this CPU lacks into `text` of `room` bytes: "avx2, fma",
/// truncated if they do not fit. Returns their number.
int missing_cpu_features(const char* const* required, char* text, size_t room) noexcept;

/// The value of SHARDSTONE_ARCH for the largest set of instructions fully supported by this CPU.
const char* nearest_architecture() noexcept;

}  // namespace shardstone
