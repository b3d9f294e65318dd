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

/// The least time in which the core can do what a kernel does, and how well that is known.
struct Bound {
    double memory_s = 0.0, arithmetic_s = 0.0;
    double noise = 0.0;  ///< of the rate that decides, see BestOf::noise()

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
    /// Measured over arrays like the kernel's, as many and as large: of the memory or cache in use.
    double bandwidth_b_s = 0.0;
    std::vector<double> samples_s;  ///< per repetition, the mean time of a call; all of them
    double median_s = 0.0;
    std::optional<Interval> interval_s;  ///< 95 %, for the median
    /// Of a matrix product: time of the fastest library for the same product in FP32 over this
    /// kernel's, per round in turns; 1 is the library's speed.
    std::optional<RatioSpread> of_library = {};

    Bound bound = {};
    Watched watched = {};

    double share() const { return bound.time_s() / median_s; }  ///< of what the bound allows
    double best_s() const { return std::ranges::min(samples_s); }
    double gflop_s() const { return arithmetic.flop / median_s / 1e9; }
    double gb_s() const { return bytes / median_s / 1e9; }
    double intensity() const { return arithmetic.flop / bytes; }  ///< FLOP per byte
};

/// How long each kernel and size is measured; a product takes as many rounds beside the libraries.
struct KernelPolicy {
    int repetitions = 15;        ///< samples; from 6 on they support an interval
    double repetition_s = 0.02;  ///< at least; Google Benchmark chooses the calls that fill it
};

/// The fewest samples that support an interval, a quarter as long each.
inline constexpr KernelPolicy quick_policy{.repetitions = 6, .repetition_s = 0.005};

/// Runs every size of every kernel in this process with Google Benchmark, calling `done` after
/// each; those that `watch` sees disturbed again. Where one is quicker than its bound, the rates
/// are measured anew, since only the best of a rate is a bound. Where interrupts are caught
/// (interrupt.hpp) and one came, it ends before the next size. Rank-local: with several ranks, one
/// of them runs this.
std::vector<KernelResult> run_kernels(const std::vector<KernelBenchmark>& kernels,
                                      const KernelPolicy& policy, MachineRates& rates, Watch& watch,
                                      const std::function<void(const KernelResult&)>& done);

}  // namespace shardstone::benchmarks
