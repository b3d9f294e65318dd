// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace shardstone {

/// What one core can do at most, measured: the two lines of the roofline (Williams, Waterman and
/// Patterson 2009). Local; other processes on the core lower what is found, so take the best of
/// several calls when the machine is shared.

/// FLOP/s of FP32 multiply-adds (2 FLOP each) on vectors that stay in registers, with enough
/// independent chains to fill the pipelines; the best of many short runs within about 0.1 s.
double measured_peak_flop_s();

/// Bytes/s of the triad a = b + s c over arrays of array_bytes each (McCalpin's STREAM: what is
/// read and written counts, the cache's own read of a does not); the best piece of 3 MiB in 3
/// passes. Choose arrays far beyond the last cache. Precondition: array_bytes >= 1 MiB.
double measured_bandwidth_b_s(std::int64_t array_bytes = std::int64_t{256} << 20);

}  // namespace shardstone
