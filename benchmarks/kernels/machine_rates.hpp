// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "benchmarks/harness/watch.hpp"
#include "benchmarks/kernels/kernel_benchmark.hpp"
#include "results/record/record.hpp"

namespace shardstone::benchmarks {

/// A rate measured several times on one core. The best represents the capability of the core: other
/// activity on the machine can only lower it.
struct BestOf {
    std::vector<double> samples;
    double best() const;
    double least() const;
    double second() const;  ///< the second best; 0 for fewer than two
    /// Whether the second best is within a third of the best: a single lucky reading does not
    /// count.
    bool repeated() const;
    /// Uncertainty: the difference between the best and the second best, as a fraction of the best.
    /// Two equal readings give 0, a single reading 1.
    double noise() const;
};

/// The lines of the roofline (kernels/roofline): memory, and each kind of arithmetic. Peaks are for
/// multiply-adds, two FLOP each; other operations may have additional pipelines of their own.
struct MachineRates {
    BestOf peak_flop_s;  ///< FP32
    BestOf bandwidth_b_s;
    /// BF16 factors to FP32 sums: the processor's dot products or the best product of matrices,
    /// whichever is faster; if it has neither, products in FP32.
    BestOf bf16_flop_s;
    BestOf fp64_flop_s;
    /// Operations of any kind per second, on elements as wide as FP32 and as FP64.
    BestOf operations_s, fp64_operations_s;
    Watched watched = {};  ///< conditions of the calls

    double peak_gflop_s() const { return peak_flop_s.best() / 1e9; }
    double bandwidth_gb_s() const { return bandwidth_b_s.best() / 1e9; }
    /// Lower bound of the time of this arithmetic: that of the operations, of the multiply-adds
    /// among them or of the BF16 products, whichever is longest, as a core may execute all three at
    /// once.
    double least_time_s(const Arithmetic& arithmetic) const;
    /// The largest noise() of the peaks relevant to this arithmetic.
    double noise(const Arithmetic& arithmetic) const;
    /// Adds one sample of each rate; local, about 1 s.
    void measure();
};

/// Measures with this many calls, all of them repeated if disturbed according to `watch`. Before
/// each call, `progress` receives a description of it.
MachineRates measure_machine_rates(int calls, Watch& watch,
                                   const std::function<void(const std::string&)>& progress);

/// Derived table `machine`: quantity, unit, value (the best), low, high (of all calls).
results::Table machine_table(const MachineRates& rates);
/// Samples: every call.
results::Table machine_samples(const MachineRates& rates);
/// The rates from these two tables of a record.
MachineRates machine_rates_in(const results::Record& record);
/// Checks that all rates are repeatable.
std::vector<results::Check> machine_checks(const MachineRates& rates);

/// The vector instructions that this program was compiled for: "AVX-512 with BF16", "AVX2", ...
std::string instruction_set();

}  // namespace shardstone::benchmarks
