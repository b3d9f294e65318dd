// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "benchmarks/kernels/kernel_runner.hpp"
#include "benchmarks/kernels/machine_rates.hpp"
#include "results/format/record.hpp"

namespace shardstone::benchmarks {

/// Adds to a record of kind `kernels`: samples and derived figures (results/schema/machine.hpp),
/// the checks, and environment["kernels"] (the libraries and the instruction set). Checks: those
/// given, that the machine's rates repeat, and bounds_check() where it can be decided.
void complete_kernel_record(const std::vector<KernelResult>& results, const MachineRates& rates,
                            const std::vector<results::Check>& checks, results::Record& record);

/// The libraries under the kernels and the instruction set of the program.
nlohmann::json kernel_environment();

// The screen: a heading, and a line for each kernel and size.
std::string kernel_table_heading(const MachineRates& rates);
std::string kernel_table_row(const KernelResult& result);

}  // namespace shardstone::benchmarks
