// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <string>
#include <vector>

#include "results/inventory/nvml.hpp"
#include "results/record/host_state.hpp"
#include "results/schema/topology.hpp"

namespace shardstone::results {

FactRow text_fact(const std::string& kind, const std::string& subject, const std::string& text);
FactRow number_fact(const std::string& kind, const std::string& subject, double number);

/// Processor, memory, clocks, kernel, firmware, drivers and settings of this node. Where the kernel
/// does not tell one, it is left out. Local.
std::vector<FactRow> host_facts(const HostFiles& files);

/// Counters of errors since the node was booted that are not 0, but for what a healthy network
/// counts too (health.hpp), and those of GPU memory by NVML. Local.
std::vector<FactRow> counter_facts(const HostFiles& files, const std::vector<NvmlGpu>& gpus);

/// The variables of this process that change how MPI, OpenMP, mathematical libraries, the loader
/// and GPUs work, by families of names (UCX_..., NCCL_...). Not those that launchers set for each
/// process, and none whose name speaks of a secret. Local.
std::map<std::string, std::string> chosen_variables_of_process();

/// The shared libraries in this process, "libmpich" with "libmpich.so.12.2.1, build 1b2c...": file
/// and the build ID that the linker gave it. Local.
std::map<std::string, std::string> libraries_of_process();

}  // namespace shardstone::results
