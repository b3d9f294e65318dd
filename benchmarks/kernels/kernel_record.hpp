// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "benchmarks/kernels/kernel_runner.hpp"
#include "benchmarks/kernels/machine_rates.hpp"
#include "results/format/record.hpp"

namespace shardstone::benchmarks {

/// Adds to a record of kind `kernels`: sample tables `kernel_times` and `machine_rates`, derived
/// tables `kernels` (name, size_of, size, time_s, time_low_s, time_high_s, gflop_s, gb_s,
/// intensity, bandwidth_gb_s, operations, roofline_gflop_s, best_s, share (of the roofline, by the
/// best repetition), of_library with its least and greatest round) and `machine`, the checks, and
/// environment["kernels"] (the libraries and the instruction set). Checks: those given, and that
/// both machine rates repeat.
void complete_kernel_record(const std::vector<KernelResult>& results, const MachineRates& rates,
                            const std::vector<results::Check>& checks, results::Record& record);

/// The libraries under the kernels and the instruction set of the program.
nlohmann::json kernel_environment();

// The screen: a heading, and a line for each kernel and size.
std::string kernel_table_heading(const MachineRates& rates);
std::string kernel_table_row(const KernelResult& result);

}  // namespace shardstone::benchmarks
