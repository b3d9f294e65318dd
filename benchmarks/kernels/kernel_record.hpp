// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "benchmarks/kernels/kernel_runner.hpp"
#include "benchmarks/kernels/machine_rates.hpp"
#include "results/format/record.hpp"

namespace shardstone::benchmarks {

/// Adds to a fresh record of kind `kernels` what is known before the first kernel: the machine's
/// rates, which later samples may still raise, and environment["kernels"] (the libraries and the
/// instruction set).
void begin_kernel_record(const MachineRates& rates, results::Record& record);

/// What a kernel at a size adds to it: samples and derived figures (results/schema/machine.hpp).
results::Record part_of(const KernelResult& result);

/// Adds all of this, and the checks: those given, that the machine's rates repeat, and
/// bounds_check() where it can be decided.
void complete_kernel_record(const std::vector<KernelResult>& results, const MachineRates& rates,
                            const std::vector<results::Check>& checks, results::Record& record);

/// The libraries under the kernels and the instruction set of the program.
nlohmann::json kernel_environment();

// The screen: a heading, and a line for each kernel and size.
std::string kernel_table_heading(const MachineRates& rates);
std::string kernel_table_row(const KernelResult& result);

}  // namespace shardstone::benchmarks
