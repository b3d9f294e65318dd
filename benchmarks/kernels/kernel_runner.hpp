// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "benchmarks/harness/interleaved.hpp"
#include "benchmarks/harness/watch.hpp"
#include "benchmarks/kernels/kernel_benchmark.hpp"
#include "benchmarks/kernels/machine_rates.hpp"
#include "kernels/base/statistics.hpp"

namespace shardstone::benchmarks {

/// Lower bound of a kernel's time on the core, and its uncertainty.
struct Bound {
    double memory_s = 0.0, arithmetic_s = 0.0;
    double noise = 0.0;  ///< of the limiting rate, see BestOf::noise()

    bool is_memory() const { return memory_s > arithmetic_s; }
    double time_s() const { return std::max(memory_s, arithmetic_s); }
};

/// One kernel at one size, measured.
struct KernelResult {
    std::string name;
    std::string size_of;
    std::int64_t size = 0;
    Arithmetic arithmetic;
    double bytes = 0.0;
    /// Measured over arrays like the kernel's, equal in number and size: bandwidth of the memory or
    /// cache in use.
    double bandwidth_b_s = 0.0;
    std::vector<double> samples_s;  ///< per repetition, the mean time of a call; all of them
    double median_s = 0.0;
    std::optional<Interval> interval_s;  ///< 95 %, for the median
    /// For a matrix product: time of the fastest library for the same product in FP32 over this
    /// kernel's, per round in turns; 1 is the library's speed.
    std::optional<RatioSpread> of_library = {};

    Bound bound = {};
    Watched watched = {};

    double share() const { return bound.time_s() / median_s; }  ///< fraction of the bound reached
    double best_s() const { return std::ranges::min(samples_s); }
    double gflop_s() const { return arithmetic.flop / median_s / 1e9; }
    double gb_s() const { return bytes / median_s / 1e9; }
    double intensity() const { return arithmetic.flop / bytes; }  ///< FLOP per byte
};

/// Duration of the measurement of each kernel and size; a product is compared with the libraries in
/// as many rounds.
struct KernelPolicy {
    int repetitions = 15;        ///< samples; at least 6 support an interval
    double repetition_s = 0.02;  ///< at least; Google Benchmark chooses the calls that fill it
};

/// The minimum number of samples that supports an interval, each a quarter as long.
inline constexpr KernelPolicy quick_policy{.repetitions = 6, .repetition_s = 0.005};

/// Runs every size of every kernel in this process with Google Benchmark, calling `done` after
/// each; those disturbed according to `watch` are repeated. If one is faster than its bound, the
/// rates are measured again, since only the best of a rate is a bound. If interrupts are caught
/// (interrupt.hpp) and one was received, it ends before the next size. Rank-local: with several
/// ranks, one of them runs this.
std::vector<KernelResult> run_kernels(const std::vector<KernelBenchmark>& kernels,
                                      const KernelPolicy& policy, MachineRates& rates, Watch& watch,
                                      const std::function<void(const KernelResult&)>& done);

}  // namespace shardstone::benchmarks
