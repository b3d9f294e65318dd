// SPDX-License-Identifier: BSD-3-Clause
// Launches of kernels, and what has to be asked for before.
#include <fmt/format.h>

#include <map>

#include "validation/emulated_device/block.hpp"
#include "validation/emulated_device/calls.hpp"
#include "validation/emulated_device/counters.hpp"
#include "validation/emulated_device/limits.hpp"
#include "validation/emulated_device/memory.hpp"
#include "validation/emulated_device/settings.hpp"
#include "validation/emulated_device/streams.hpp"

namespace shardstone::emulated {

namespace {

/// Dynamic shared memory that was asked for, by kernel.
std::map<const void*, std::size_t>& asked_bytes() {
    static std::map<const void*, std::size_t> all;
    return all;
}

double threads_of(const Kernel& kernel) {
    const dim3 grid = kernel.grid, block = kernel.block;
    return double{1} * grid.x * grid.y * grid.z * block.x * block.y * block.z;
}

cudaError_t why_refused(const Kernel& kernel, const CUstream_st& stream) {
    const dim3 grid = kernel.grid, block = kernel.block;
    if (stream.device != current_device()) return cudaErrorInvalidResourceHandle;
    const double threads_per_block = double{1} * block.x * block.y * block.z;
    if (threads_of(kernel) == 0 || threads_per_block > most_threads_per_block ||
        block.z > most_threads_in_z || grid.x > most_blocks_in_x || grid.y > most_blocks_in_y ||
        grid.z > most_blocks_in_y) {
        return cudaErrorInvalidConfiguration;
    }
    const auto asked = asked_bytes().find(kernel.function);
    const std::size_t granted =
        asked == asked_bytes().end() ? shared_bytes_without_asking : asked->second;
    return kernel.shared_bytes > granted ? cudaErrorInvalidValue : cudaSuccess;
}

bool run(const Kernel& kernel) {
    const cudaError_t failure = ordered_failure("kernel");
    if (failure != cudaSuccess) fail_for_good(failure);
    if (failure_for_good() != cudaSuccess) return true;
    ++counters().kernels_run;
    run_kernel(kernel);
    return true;
}

}  // namespace

cudaError_t enqueue_kernel(cudaStream_t stream, Kernel kernel) {
    return call("cudaLaunchKernel", [&] {
        const cudaError_t refusal = why_refused(kernel, *checked(stream));
        if (refusal != cudaSuccess) return refusal;
        ++counters().launches;
        Work work;
        work.name = settings().trace ? "kernel " + name_of_kernel(kernel.function) : "a kernel";
        work.duration_s = duration_of_other_work_s + duration_per_thread_s * threads_of(kernel);
        work.run = [kernel] { return run(kernel); };
        enqueue(stream, std::move(work));
        return cudaSuccess;
    });
}

void check_pointer_argument(cudaStream_t stream, const Kernel& kernel, const void* pointer) {
    if (pointer == nullptr || pinned_allocation(pointer) != nullptr) return;
    const Allocation* const allocation = device_allocation(pointer);
    const auto refuse = [&](const char* what) {
        fault(fmt::format("kernel {}: an argument points to {}", name_of_kernel(kernel.function),
                          what));
    };
    if (allocation == nullptr) refuse("memory that a device cannot reach");
    if (allocation->state == State::freed) refuse("device memory that was freed");
    if (allocation->device != checked(stream)->device) refuse("memory of another device");
}

}  // namespace shardstone::emulated

extern "C" {

using namespace shardstone::emulated;  // of the double, whose functions these are

cudaError_t cudaFuncSetAttribute(const void* function, cudaFuncAttribute attribute, int value) {
    return call("cudaFuncSetAttribute", [&] {
        if (attribute != cudaFuncAttributeMaxDynamicSharedMemorySize) return cudaSuccess;
        const auto bytes = static_cast<std::size_t>(value);
        if (value < 0 || bytes > most_shared_bytes) return cudaErrorInvalidValue;
        asked_bytes()[function] = bytes;
        return cudaSuccess;
    });
}

}  // extern "C"
