// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "results/record/host_state.hpp"

namespace shardstone::results {

/// The machine as hwloc and the kernel see it: "host", "kernel", "architecture", "cpu", "packages",
/// "cores", "hardware_threads", "usable_threads" (on which this process may run), "caches" (list of
/// {level, type, size_bytes, count}), "numa_nodes", and what host_state() says. Local.
///
/// Files below another root (a proc and a sys in one folder) describe another machine; the
/// architecture and the usable threads are always this one's. Not while other threads read the
/// environment, if the root is another.
nlohmann::json machine_description(const HostFiles& files = {});

/// The caches of such a machine, "2 x 48 KiB L1 data, ..."; empty if none are known.
std::string caches_in_words(const nlohmann::json& machine);

/// Description of the environment in a record: "machine" (above), "build" (revision of the source,
/// compiler, build type, architecture, flags), "libraries" (versions), "variables" (a short list of
/// environment variables that change how MPI, OpenMP, CUDA and emulated GPUs run, and the Slurm
/// job; only those that are set, never any other, so that no secret gets in).
nlohmann::json environment_description();

/// The variables of an environment that were chosen for the run: without those of Slurm, which
/// differ in each job.
nlohmann::json chosen_variables(const nlohmann::json& environment);

}  // namespace shardstone::results
