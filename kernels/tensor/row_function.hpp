// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// A row function whose `omp simd reduction` must survive: GCC drops the reduction's vector form
// when it clones or inlines the function.
#if defined(__GNUC__) && !defined(__clang__)
#define SHARDSTONE_ROW_FUNCTION __attribute__((noipa))
#else
#define SHARDSTONE_ROW_FUNCTION __attribute__((noinline))
#endif
