// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "benchmarks/harness/statistics.hpp"
#include "benchmarks/kernels/kernel_benchmark.hpp"

namespace shardstone::benchmarks {

/// One kernel at one size, measured.
struct KernelResult {
    std::string name;
    std::string size_of;
    std::int64_t size = 0;
    double flop = 0.0;
    double bytes = 0.0;
    double bandwidth_b_s = 0.0;     ///< measured over as many bytes: of the memory or cache in use
    std::vector<double> samples_s;  ///< per repetition, the mean time of a call; all of them
    double median_s = 0.0;
    std::optional<Interval> interval_s;  ///< 95 %, for the median

    double gflop_s() const { return flop / median_s / 1e9; }
    double gb_s() const { return bytes / median_s / 1e9; }
    double intensity() const { return flop / bytes; }  ///< FLOP per byte
};

/// How long each kernel and size is measured.
struct KernelPolicy {
    int repetitions = 9;         ///< samples; from 6 on they support an interval
    double repetition_s = 0.02;  ///< at least; Google Benchmark chooses the calls that fill it
};

/// Runs every size of every kernel in this process with Google Benchmark, calling `done` after
/// each. Rank-local: with several ranks, one of them runs this.
std::vector<KernelResult> run_kernels(const std::vector<KernelBenchmark>& kernels,
                                      const KernelPolicy& policy,
                                      const std::function<void(const KernelResult&)>& done);

}  // namespace shardstone::benchmarks
