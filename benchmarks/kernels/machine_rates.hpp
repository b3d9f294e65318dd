// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "benchmarks/harness/watch.hpp"
#include "benchmarks/kernels/kernel_benchmark.hpp"
#include "results/record/record.hpp"

namespace shardstone::benchmarks {

/// A rate measured several times on one core. The best stands for what the core can do: whatever
/// else runs on the machine only ever lowers it.
struct BestOf {
    std::vector<double> samples;
    double best() const;
    double least() const;
    double second() const;  ///< the best but one; 0 of fewer than two
    /// True when the second best comes within a third of the best: one lucky reading is none.
    bool repeated() const;
    /// How far the best stands from the second best, as a share of it: how well it is known. Twice
    /// the same gives 0, a single reading 1.
    double noise() const;
};

/// The lines of the roofline (kernels/roofline): memory, and each kind of arithmetic. Peaks are of
/// multiply-adds, two FLOP each; other operations may have pipelines of their own beside them.
struct MachineRates {
    BestOf peak_flop_s;  ///< FP32
    BestOf bandwidth_b_s;
    /// BF16 factors to FP32 sums: the processor's dot products or the best product of matrices,
    /// whichever is faster; where it has neither, products in FP32.
    BestOf bf16_flop_s;
    BestOf fp64_flop_s;
    /// Operations of any kind per second, on elements as wide as FP32 and as FP64.
    BestOf operations_s, fp64_operations_s;
    Watched watched = {};  ///< what the calls were made in

    double peak_gflop_s() const { return peak_flop_s.best() / 1e9; }
    double bandwidth_gb_s() const { return bandwidth_b_s.best() / 1e9; }
    /// The least time in which this arithmetic can be done: that of the operations, of the
    /// multiply-adds among them or of the BF16 products, whichever is longest, as a core may work
    /// at all three at once.
    double least_time_s(const Arithmetic& arithmetic) const;
    /// The largest noise() of the peaks that this arithmetic meets.
    double noise(const Arithmetic& arithmetic) const;
    /// One call more of each; local, about 1 s.
    void measure();
};

/// So many calls; all of them again where `watch` sees them disturbed. `progress` is told before
/// each call which one comes, in words.
MachineRates measure_machine_rates(int calls, Watch& watch,
                                   const std::function<void(const std::string&)>& progress);

/// Derived table `machine`: quantity, unit, value (the best), low, high (of all calls).
results::Table machine_table(const MachineRates& rates);
/// Samples: every call.
results::Table machine_samples(const MachineRates& rates);
/// The rates that a record holds in these two tables.
MachineRates machine_rates_in(const results::Record& record);
/// That all rates repeat.
std::vector<results::Check> machine_checks(const MachineRates& rates);

/// The vector instructions that this program was compiled for: "AVX-512 with BF16", "AVX2", ...
std::string instruction_set();

}  // namespace shardstone::benchmarks
