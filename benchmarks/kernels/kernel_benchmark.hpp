// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "results/format/record.hpp"

namespace shardstone::benchmarks {

/// One kernel at one size, ready to run again and again; `run` owns its buffers.
struct Workload {
    /// Arithmetic per call as the kernel's formula has it: one each for add, subtract, multiply,
    /// divide, square root and exponential.
    double flop = 0.0;
    /// Memory traffic per call that cannot be avoided: every operand read once, every result
    /// written once.
    double bytes = 0.0;
    std::function<void()> run;
};

/// A kernel to be measured: one file in this folder that holds one `const KernelRegistration`.
struct KernelBenchmark {
    std::string name;     ///< "gelu forward"
    std::string size_of;  ///< what a size counts: "rows of 768"
    std::vector<std::int64_t> sizes;
    std::function<Workload(std::int64_t size)> prepare;
    /// Runs the kernel at a small size and holds it against a plain loop in double.
    std::function<results::Check()> verify;
};

class KernelRegistration {
  public:
    explicit KernelRegistration(KernelBenchmark benchmark);
};

/// All registered kernels by name.
const std::vector<KernelBenchmark>& kernel_benchmarks();

/// Those whose name contains `filter`, all for "". Throws Error naming the choices when none does.
std::vector<KernelBenchmark> kernels_matching(const std::string& filter);

}  // namespace shardstone::benchmarks
