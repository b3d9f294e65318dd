// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "benchmarks/harness/interleaved.hpp"
#include "benchmarks/kernels/kernel_benchmark.hpp"
#include "kernels/base/statistics.hpp"

namespace shardstone::benchmarks {

/// One kernel at one size, measured.
struct KernelResult {
    std::string name;
    std::string size_of;
    std::int64_t size = 0;
    Arithmetic arithmetic;
    double bytes = 0.0;
    double bandwidth_b_s = 0.0;     ///< measured over as many bytes: of the memory or cache in use
    std::vector<double> samples_s;  ///< per repetition, the mean time of a call; all of them
    double median_s = 0.0;
    std::optional<Interval> interval_s;  ///< 95 %, for the median
    /// Of a matrix product: time of the fastest library for the same product in FP32 over this
    /// kernel's, per round in turns; 1 is the library's speed.
    std::optional<RatioSpread> of_library = {};

    /// The fastest repetition: as the bound stands for what the core can do, so does this for the
    /// kernel. What else runs on the machine only ever lowers both.
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

/// Runs every size of every kernel in this process with Google Benchmark, calling `done` after
/// each. Rank-local: with several ranks, one of them runs this.
std::vector<KernelResult> run_kernels(const std::vector<KernelBenchmark>& kernels,
                                      const KernelPolicy& policy,
                                      const std::function<void(const KernelResult&)>& done);

}  // namespace shardstone::benchmarks
