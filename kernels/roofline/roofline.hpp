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

/// FLOP/s of FP64 multiply-adds, as measured_peak_flop_s().
double measured_fp64_peak_flop_s();

/// Operations per second of the quickest mixture of vector instructions on elements of Real (float,
/// or double, with whole numbers as wide), each element of each instruction counted once: at least
/// half of the peak of multiply-adds, and up to twice that where additions and whole numbers have
/// pipelines of their own, as on AMD's Zen. No loop that is not of multiply-adds alone is bounded
/// by less. The best of many short runs within about 0.1 s.
template <class Real>
double measured_operations_s();

/// FLOP/s of gemm() with factors in S of (1024, 1024), sums in FP32: the best of a few products. S
/// is bf16 or fp16. What a processor's matrix unit can do shows here and nowhere else.
template <class S>
double measured_product_flop_s();

/// The arrays that a loop goes through: how many it only reads, reads and writes, only writes.
struct Streams {
    int read = 1, updated = 1, written = 0;

    /// Bytes moved per byte of one array, each read or write counted once.
    double bytes_per_byte() const { return read + 2.0 * updated + written; }
};
/// Fewer than so many of a kind, and at most so many together.
inline constexpr int most_of_kind = 4;
inline constexpr int most_streams = 3 * (most_of_kind - 1);

/// Bytes/s of an addition over so many arrays, of together working_set_bytes, the best of many
/// short runs. By default a = a + b: two reads and a write count, and unlike in STREAM's triad
/// (McCalpin 1995), which overwrites an array that the cache must first read, no byte moves that is
/// not counted. Of the memory by default; of the cache that holds it for a small working set. At
/// least 4 KiB.
double measured_bandwidth_b_s(std::int64_t working_set_bytes = std::int64_t{768} << 20,
                              const Streams& streams = {});

/// How much faster this core multiplies matrices in S than in FP32 with gemm(): the best times of
/// both in turns, as the rates above are, since others who take the core for a while do not strike
/// both alike; factors of (512, 512), sums in FP32. About 0.1 s. S is bf16 or fp16.
template <class S>
double measured_product_speedup();

}  // namespace shardstone
