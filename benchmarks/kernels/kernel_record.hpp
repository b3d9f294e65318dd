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

/// Adds to a fresh record of kind `kernels` what is known before the first kernel: the machine's
/// rates, which later samples may still raise, and environment["kernels"] (the libraries and the
/// instruction set).
void begin_kernel_record(const MachineRates& rates, results::Record& record);

/// What a kernel at a size adds to it: samples and derived figures (results/schema/machine.hpp).
results::Record part_of(const KernelResult& result);

/// A kernel's name and a size.
using KernelSize = std::pair<std::string, std::int64_t>;

/// What a record holds of them.
std::set<KernelSize> measured_kernels(const results::Record& record);

/// The kernels' figures against what the core can do at best; of median times, as the rates shown
/// beside it are. One check over all rows that were measured quietly: none is quicker than its
/// bound allows, beyond what the bound itself is known to. Nothing where all were disturbed.
std::optional<results::Check> bounds_check(const results::Record& record);

/// To a record that has all its parts: the rates as they are in the end, and the checks: those
/// given, that the rates repeat, and bounds_check() where it can be decided.
void complete_kernel_record(const MachineRates& rates, const std::vector<results::Check>& checks,
                            results::Record& record);

/// The libraries under the kernels and the instruction set of the program.
nlohmann::json kernel_environment();

// The screen: a heading, and a line for each kernel and size.
std::string kernel_table_heading(const MachineRates& rates);
std::string kernel_table_row(const KernelResult& result);
/// A line for each row that a record of an earlier run holds, marked so.
std::string earlier_kernel_rows(const results::Record& record);

/// What all rows of a record were measured in.
std::vector<Surroundings> surroundings_in(const results::Record& record);

}  // namespace shardstone::benchmarks
