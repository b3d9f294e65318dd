// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "benchmarks/kernels/kernel_runner.hpp"
#include "benchmarks/kernels/machine_rates.hpp"
#include "results/record/record.hpp"

namespace shardstone::benchmarks {

/// Adds the data known before the first kernel to a new record of kind `kernels`: the machine's
/// rates, which later samples may still raise, and environment["kernels"] (the libraries and the
/// instruction set).
void begin_kernel_record(const MachineRates& rates, results::Record& record);

/// Contribution of a kernel at a size to the record: samples and derived figures
/// (results/schema/machine.hpp).
results::Record part_of(const KernelResult& result);

/// A kernel's name and a size.
using KernelSize = std::pair<std::string, std::int64_t>;

/// The kernels and sizes in a record.
std::set<KernelSize> measured_kernels(const results::Record& record);

/// The kernels' figures against the peak rates of the core; from median times, like the rates shown
/// next to it. One check over all undisturbed rows: none is faster than its bound, within the
/// uncertainty of the bound. Nothing if all were disturbed.
std::optional<results::Check> bounds_check(const results::Record& record);

/// Adds to a record with all its parts the final rates, and the checks: those given, that the rates
/// are repeatable, and bounds_check() if it can be decided.
void complete_kernel_record(const MachineRates& rates, const std::vector<results::Check>& checks,
                            results::Record& record);

/// The libraries under the kernels and the instruction set of the program.
nlohmann::json kernel_environment();

// Screen output: a heading, and a line for each kernel and size.
std::string kernel_table_heading(const MachineRates& rates);
std::string kernel_table_row(const KernelResult& result);
/// A line for each row of a record of an earlier run, marked as such.
std::string earlier_kernel_rows(const results::Record& record);

/// Surroundings of all rows of a record.
std::vector<Surroundings> surroundings_in(const results::Record& record);

}  // namespace shardstone::benchmarks
