// SPDX-License-Identifier: BSD-3-Clause
// shardstone kernels --device cuda: the kernels of the GPU, each beside its limit.
#include "jobs/command/kernels_on_device.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdio>

#include "jobs/command/command.hpp"
#include "jobs/command/device_option.hpp"
#include "jobs/command/progress.hpp"
#include "jobs/command/run_record.hpp"
#include "jobs/command/stopped.hpp"
#include "kernels/base/error.hpp"
#include "kernels/base/exit_code.hpp"
#include "kernels/base/interrupt.hpp"
#include "kernels/base/units.hpp"
#include "results/record/incomplete.hpp"

#ifdef SHARDSTONE_HAS_CUDA
#include "benchmarks/kernels/device/device_run.hpp"
#include "collectives/device/devices.hpp"
#include "collectives/executors/gpu/gpu_of_rank.hpp"
#include "validation/numerics/kernels/kernel_error.hpp"
#endif

namespace shardstone::command {

#ifdef SHARDSTONE_HAS_CUDA

namespace {

using namespace benchmarks;

std::vector<DeviceKernel> matching(const std::string& filter) {
    const auto same_letter = [](unsigned char a, unsigned char b) {
        return std::tolower(a) == std::tolower(b);
    };
    std::vector<DeviceKernel> chosen;
    for (const DeviceKernel& kernel : device_kernels()) {
        const bool matches =
            filter.empty() || !std::ranges::search(kernel.name, filter, same_letter).empty();
        if (matches) chosen.push_back(kernel);
    }
    require(!chosen.empty(), [&] {
        return fmt::format(
            "no kernel of the GPU has a name that contains '{}': omit --filter to "
            "see all",
            filter);
    });
    return chosen;
}

/// On the GPU within their bounds of the FP64 oracle.
std::vector<results::Check> verified_kernels() {
    ProgressLine progress(true, "comparing the kernels with FP64");
    const auto errors = validation::device_kernel_errors([&](std::size_t done, std::size_t of) {
        progress.say(fmt::format("{} of {} kernels compared with FP64", done, of));
    });
    for (const auto& error : errors) {
        if (error.share_of_bound <= 1.0) continue;
        fmt::print("{}, {} in {}: {:.3g} of its bound\n", error.kernel, error.output,
                   to_string(error.storage), error.share_of_bound);
        std::fflush(stdout);  // minutes before there is a record
    }
    std::vector<results::Check> checks;
    for (const ElementType storage : {ElementType::fp32, ElementType::bf16, ElementType::fp16}) {
        auto check = validation::kernel_check(errors, "", storage);
        check.name = fmt::format("kernels in {}: {}", to_string(storage), check.name);
        checks.push_back(std::move(check));
    }
    return checks;
}

DeviceRates rates_of_gpu() {
    const ProgressLine progress(true, "measuring how fast the GPU copies and multiplies");
    return measured_device_rates();
}

/// Until a signal ends it.
std::vector<DeviceKernelResult> timed(const std::vector<DeviceKernel>& kernels,
                                      const DeviceRates& rates) {
    catch_interrupts("this kernel");
    ProgressLine progress(true, "");
    std::vector<DeviceKernelResult> results;
    for (const DeviceKernel& kernel : kernels) {
        if (interrupted()) break;
        progress.told("timing " + kernel.name);
        results.push_back(run_device_kernel(kernel));
        fmt::print("{}", device_line(results.back(), rates));
        std::fflush(stdout);
    }
    return results;
}

}  // namespace

int run_kernels_on_device(const std::string& filter, const std::string& json,
                          const std::string& hdf5) {
    require_gpu();
    const collectives::Device gpu = collectives::list_devices().devices.front();
    collectives::note_used_gpus({{gpu.name}, {gpu.address}, 1, 1, collectives::cuda_versions()});
    const auto kernels = matching(filter);
    auto record = results::new_record("device_kernels", "Kernels on one GPU", command_line());
    record.configuration = {{"filter", filter}, {"device", "cuda"}};
    record.verification = verified_kernels();
    const DeviceRates before = rates_of_gpu();
    fmt::print("{}", device_heading(gpu.name, before));
    std::fflush(stdout);
    const auto results = timed(kernels, before);
    if (results.empty()) return end_without_record("measured");
    const bool is_complete = results.size() == kernels.size();
    if (!is_complete) {
        record.verification.push_back(results::incomplete_check(fmt::format(
            "{} of {} were measured", results.size(), counted(std::ssize(kernels), "kernel"))));
    }
    const DeviceRates rates = better_of(before, rates_of_gpu());
    fmt::print("\nthe best before and after, of which the record has the shares: {}\n",
               in_words(rates));
    fill_device_record(gpu.name, rates, results, record);
    write_record(record, json, hdf5);
    for (const auto& check : record.verification) {
        fmt::print("{}: {} ({})\n", check.passed ? "passed" : "FAILED", check.name, check.detail);
    }
    if (!is_complete) return number_of(ExitCode::interrupted);
    return record.verified() ? 0 : number_of(ExitCode::check_failed);
}

#else

int run_kernels_on_device(const std::string&, const std::string&, const std::string&) {
    fail("--device cuda: this program was built without CUDA; build it where nvcc is, or omit it");
}

#endif

}  // namespace shardstone::command
