// SPDX-License-Identifier: BSD-3-Clause
// Build, libraries, variables and start of a run: what every new record opens with.
#include "results/record/environment.hpp"

#include <fmt/format.h>
#include <hdf5.h>
#include <hwloc.h>
#include <xxhash.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <system_error>

#include "results/record/record.hpp"
#include "results/record/texts.hpp"
#include "results/record/utc.hpp"
#include "shardstone_revision.hpp"

namespace shardstone::results {

namespace {

using nlohmann::json;

// Read before main(): a run begins when its program does, not when its record is made.
const auto start_of_program = std::chrono::system_clock::now();
const auto steady_start_of_program = std::chrono::steady_clock::now();

/// Read and recorded when set; everything else in the environment stays out.
constexpr std::array variables{
    "OMP_NUM_THREADS",      "OMP_PLACES",
    "OMP_PROC_BIND",        "UCX_TLS",
    "UCX_NET_DEVICES",      "MPICH_GPU_SUPPORT_ENABLED",
    "MPIR_CVAR_CH4_NETMOD", "MPIR_CVAR_ALLREDUCE_INTRA_ALGORITHM",
    "FI_PROVIDER",          "CUDA_VISIBLE_DEVICES",
    "CUDA_LAUNCH_BLOCKING", "OPENBLAS_CORETYPE",
    "DNNL_MAX_CPU_ISA",     "SLURM_JOB_ID",
    "SLURM_JOB_NUM_NODES",  "SLURM_NTASKS",
    "SLURM_JOB_PARTITION",  "SLURM_CPUS_PER_TASK",
    "SLURM_CLUSTER_NAME",
};

/// All that are set of NCCL, which has hundreds: each may be why a collective is slow. And what the
/// emulated GPUs of a test are: without it they cannot be had again. But for those that make either
/// say more.
void add_variables_of_gpus(json& found) {
    for (char** variable = environ; *variable != nullptr; ++variable) {
        const std::string_view text(*variable);
        const std::size_t end = text.find('=');
        const bool is_recorded = (text.starts_with("NCCL_") && !text.starts_with("NCCL_DEBUG")) ||
                                 (text.starts_with("SHARDSTONE_EMULATED_") &&
                                  !text.starts_with("SHARDSTONE_EMULATED_TRACE"));
        if (!is_recorded || end == std::string_view::npos) continue;
        found[std::string(text.substr(0, end))] = text.substr(end + 1);
    }
}

json set_variables() {
    json found = json::object();
    for (const char* name : variables) {
        if (const char* value = std::getenv(name)) found[name] = value;
    }
    add_variables_of_gpus(found);
    return found;
}

json library_versions() {
    const auto dotted = [](int number, int major, int minor) {
        return fmt::format("{}.{}.{}", number / major, number / minor % (major / minor),
                           number % minor);
    };
    unsigned hdf5_major = 0;
    unsigned hdf5_minor = 0;
    unsigned hdf5_release = 0;
    H5get_libversion(&hdf5_major, &hdf5_minor, &hdf5_release);
    const auto hwloc = hwloc_get_api_version();
    return {{"hdf5", fmt::format("{}.{}.{}", hdf5_major, hdf5_minor, hdf5_release)},
            {"hwloc", fmt::format("{}.{}", hwloc >> 16, (hwloc >> 8) & 0xff)},
            {"xxhash", dotted(static_cast<int>(XXH_versionNumber()), 10000, 100)},
            {"fmt", dotted(FMT_VERSION, 10000, 100)}};
}

std::string compiler() {
#if defined(__clang__)
    return "Clang " __clang_version__;
#else
    return "GCC " __VERSION__;
#endif
}

std::string fresh_id(std::time_t now) {
    std::tm utc{};
    gmtime_r(&now, &utc);
    std::array<char, 32> stamp{};
    std::strftime(stamp.data(), stamp.size(), "%Y%m%dT%H%M%SZ", &utc);
    std::random_device device;
    return fmt::format("{}-{:08x}{:08x}", stamp.data(), device(), device());
}

/// That relative names in the command line begin at.
std::string folder_now() {
    std::error_code gone;
    return std::filesystem::current_path(gone).string();
}

}  // namespace

json environment_description() {
    return {{"machine", machine_description()},
            {"build",
             {{"revision", SHARDSTONE_REVISION},
              {"compiler", compiler()},
              {"type", SHARDSTONE_BUILD_TYPE},
              {"architecture", SHARDSTONE_ARCH},
              {"flags", SHARDSTONE_FLAGS}}},
            {"libraries", library_versions()},
            {"variables", set_variables()}};
}

json chosen_variables(const json& environment) {
    const json variables = environment.value("variables", json::object());
    json chosen = json::object();
    for (const auto& [name, value] : variables.items()) {
        if (!name.starts_with("SLURM_") && value.is_string()) chosen[name] = value;
    }
    return chosen;
}

void end_run(Record& record) {
    const auto running = std::chrono::steady_clock::now() - steady_start_of_program;
    record.identity["duration_s"] = std::chrono::duration<double>(running).count();
}

Record new_record(const std::string& kind, const std::string& title,
                  const std::vector<std::string>& command_line) {
    const std::time_t start = std::chrono::system_clock::to_time_t(start_of_program);
    Record record;
    record.kind = kind;
    record.identity = {{"id", fresh_id(start)},         {"title", title},
                       {"start_time", utc_text(start)}, {"command_line", command_line},
                       {"folder", folder_now()},        {"version", SHARDSTONE_VERSION}};
    record.configuration = json::object();
    record.environment = environment_description();
    escape_texts(record);
    return record;
}

}  // namespace shardstone::results
