// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>

namespace shardstone {

/// What one core can do at most, measured: the two lines of the roofline (Williams, Waterman and
/// Patterson 2009). Local; other processes on the core lower what is found, so take the best of
/// several calls when the machine is shared.

/// FLOP/s of FP32 multiply-adds (2 FLOP each) on vectors that stay in registers, with enough
/// independent chains to fill the pipelines; the best of many short runs within about 0.1 s.
double measured_peak_flop_s();

/// The same of the processor's BF16 dot products (vdpbf16ps: each lane adds two products of BF16 to
/// an FP32 sum, 4 FLOP); nothing where there are none. On a processor without matrix tiles (AMX)
/// this bounds what BF16 can gain, and may lie below the FP32 peak.
std::optional<double> measured_bf16_peak_flop_s();

/// Bytes/s of the update a = a + s b over two arrays of together working_set_bytes, the best of
/// many short runs. Two reads and a write count; unlike STREAM's triad (McCalpin 1995), which
/// overwrites an array that the cache must first read, no byte moves that is not counted. Of the
/// memory by default; of the cache that holds it for a small working set. At least 4 KiB.
double measured_bandwidth_b_s(std::int64_t working_set_bytes = std::int64_t{768} << 20);

/// How much faster this core multiplies matrices in S than in FP32 with gemm(): medians of both in
/// turns, factors of (512, 512), sums in FP32. About 0.1 s. S is bf16 or fp16.
template <class S>
double measured_product_speedup();

}  // namespace shardstone
