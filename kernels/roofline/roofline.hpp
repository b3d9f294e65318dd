// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>

namespace shardstone {

/// Measured peak rates of one core: the two lines of the roofline (Williams, Waterman and Patterson
/// 2009). Local; other processes on the core lower the result, so take the best of several calls if
/// the machine is shared.

/// FLOP/s of FP32 multiply-adds (2 FLOP each) on vectors that stay in registers, with enough
/// independent chains to fill the pipelines; the best of many short runs within about 0.1 s.
double measured_peak_flop_s();

/// The same of the processor's BF16 dot products (vdpbf16ps: each lane adds two products of BF16 to
/// an FP32 sum, 4 FLOP); nothing if there are none. On a processor without matrix tiles (AMX) this
/// bounds the gain of BF16, and may be below the FP32 peak.
std::optional<double> measured_bf16_peak_flop_s();

/// The same of the processor's matrix unit (AMX: products of BF16 tiles, sums in FP32); nothing if
/// it has none, or the kernel does not let programs use it. Products of whole matrices are slower,
/// and not equally so: their rate is no bound.
std::optional<double> measured_matrix_unit_flop_s();

/// FLOP/s of FP64 multiply-adds, as measured_peak_flop_s().
double measured_fp64_peak_flop_s();

/// Operations per second of the fastest mixture of vector instructions on elements of Real (float,
/// or double, with integers of the same width), each element of each instruction counted once: at
/// least half of the peak of multiply-adds, and up to twice that if additions and integers have
/// pipelines of their own, as on AMD's Zen. For loops that are not multiply-adds alone, no lower
/// rate is a valid bound. The best of many short runs within about 0.1 s.
template <class Real>
double measured_operations_s();

/// FLOP/s of gemm() with factors in S of (1024, 1024), sums in FP32: the best of a few products. S
/// is bf16 or fp16. The rate of a matrix unit that cannot be measured by itself is visible here.
template <class S>
double measured_product_flop_s();

/// The arrays of a loop: number of arrays only read, read and written, and only written.
struct Streams {
    int read = 1, updated = 1, written = 0;

    /// Bytes moved per byte of one array, each read or write counted once.
    double bytes_per_byte() const { return read + 2.0 * updated + written; }
};
/// Exclusive limit on the arrays of one kind, and limit on all together.
inline constexpr int most_of_kind = 4;
inline constexpr int most_streams = 3 * (most_of_kind - 1);

/// Bytes/s of an addition over these arrays, of working_set_bytes in total, the best of many short
/// runs. By default a = a + b: two reads and a write are counted, and unlike in STREAM's triad
/// (McCalpin 1995), which overwrites an array that the cache must first read, no uncounted bytes
/// are moved. Bandwidth of the memory by default; for a small working set, of the cache that holds
/// it. At least 4 KiB.
double measured_bandwidth_b_s(std::int64_t working_set_bytes = std::int64_t{768} << 20,
                              const Streams& streams = {});

/// Speedup of gemm() in S over FP32 on this core: the best times of both, measured in turns, since
/// other processes that take the core for a while do not affect both alike; factors of (512, 512),
/// sums in FP32. About 0.1 s. S is bf16 or fp16.
template <class S>
double measured_product_speedup();

}  // namespace shardstone
