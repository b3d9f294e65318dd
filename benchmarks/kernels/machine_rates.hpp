// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "results/format/record.hpp"

namespace shardstone::benchmarks {

/// A rate measured several times on one core. The best stands for what the core can do: whatever
/// else runs on the machine only ever lowers it.
struct BestOf {
    std::vector<double> samples;
    double best() const;
    double least() const;
    /// True when the second best comes within a third of the best: one lucky reading is none.
    bool repeated() const;
};

/// The two lines of the roofline (kernels/roofline).
struct MachineRates {
    BestOf peak_flop_s;
    BestOf bandwidth_b_s;

    double peak_gflop_s() const { return peak_flop_s.best() / 1e9; }
    double bandwidth_gb_s() const { return bandwidth_b_s.best() / 1e9; }
    /// Operations/s of vectors of FP32: the peak is one of multiply-adds, two FLOP each.
    double operations_s() const { return peak_flop_s.best() / 2.0; }
};

/// Local; about half a second a call of both.
MachineRates measure_machine_rates(int calls);

/// Derived table `machine`: quantity, unit, value (the best), low, high (of all calls).
results::Table machine_table(const MachineRates& rates);
/// Samples: every call.
results::Table machine_samples(const MachineRates& rates);
/// That both rates repeat.
std::vector<results::Check> machine_checks(const MachineRates& rates);

/// The vector instructions that this program was compiled for: "AVX-512 with BF16", "AVX2", ...
std::string instruction_set();

}  // namespace shardstone::benchmarks
