// SPDX-License-Identifier: BSD-3-Clause
// Functions of the CUDA runtime: memory of devices and pinned memory of the host.
#include "validation/emulated_device/calls.hpp"
#include "validation/emulated_device/counters.hpp"
#include "validation/emulated_device/memory.hpp"
#include "validation/emulated_device/streams.hpp"

namespace shardstone::emulated {

Counters& counters() {
    static Counters one;
    return one;
}

namespace {

cudaError_t allocate(void** memory, std::size_t bytes) {
    *memory = bytes == 0 ? nullptr : allocate_on_device(bytes, current_device());
    if (bytes == 0) return cudaSuccess;
    if (*memory == nullptr) return cudaErrorMemoryAllocation;
    ++counters().allocations;
    return cudaSuccess;
}

cudaError_t allocate_on_host(void** memory, std::size_t bytes) {
    *memory = allocate_pinned(bytes);
    if (*memory == nullptr) return cudaErrorMemoryAllocation;
    ++counters().pinned_allocations;
    return cudaSuccess;
}

cudaPointerAttributes attributes_of(const void* address) {
    cudaPointerAttributes made{};
    made.type = cudaMemoryTypeUnregistered;
    made.device = -1;
    made.hostPointer = const_cast<void*>(address);
    if (const Allocation* const on_device = device_allocation(address)) {
        if (on_device->state == State::freed) return made;
        made.type = cudaMemoryTypeDevice;
        made.device = on_device->device;
        made.devicePointer = const_cast<void*>(address);
        made.hostPointer = nullptr;
    } else if (pinned_allocation(address) != nullptr) {
        made.type = cudaMemoryTypeHost;
        made.device = 0;
        made.devicePointer = const_cast<void*>(address);
    }
    return made;
}

}  // namespace

}  // namespace shardstone::emulated

extern "C" {

using namespace shardstone::emulated;  // of the double, whose functions these are

cudaError_t cudaMalloc(void** memory, std::size_t bytes) {
    return call("cudaMalloc", [&] {
        if (is_capturing_strictly()) return invalidated_capture();
        const cudaError_t code = allocate(memory, bytes);
        if (code == cudaSuccess && bytes > 0) open_allocation(*memory);
        return code;
    });
}

cudaError_t cudaFree(void* memory) {
    return call("cudaFree", [&] {
        if (memory == nullptr) return cudaSuccess;
        if (is_capturing()) return invalidated_capture();
        const Allocation* const allocation = device_allocation(memory);
        if (allocation != nullptr) finish_all(allocation->device, false);
        free_on_device(memory);
        return cudaSuccess;
    });
}

cudaError_t cudaMallocAsync(void** memory, std::size_t bytes, cudaStream_t stream) {
    return call("cudaMallocAsync", [&] {
        if (checked(stream)->capture != nullptr) return cudaErrorNotSupported;
        const cudaError_t code = allocate(memory, bytes);
        if (code != cudaSuccess || bytes == 0) return code;
        enqueue(stream, "an allocation", [data = *memory] {
            open_allocation(data);
            return true;
        });
        return code;
    });
}

cudaError_t cudaFreeAsync(void* memory, cudaStream_t stream) {
    return call("cudaFreeAsync", [&] {
        if (memory == nullptr) return cudaSuccess;
        if (checked(stream)->capture != nullptr) return cudaErrorNotSupported;
        enqueue(stream, "memory is freed", [=] {
            free_on_device(memory);
            return true;
        });
        return cudaSuccess;
    });
}

cudaError_t cudaMallocHost(void** memory, std::size_t bytes) {
    return call("cudaMallocHost", [&] {
        if (is_capturing_strictly()) return invalidated_capture();
        return allocate_on_host(memory, bytes);
    });
}

cudaError_t cudaHostAlloc(void** memory, std::size_t bytes, unsigned) {
    return call("cudaHostAlloc", [&] {
        if (is_capturing_strictly()) return invalidated_capture();
        return allocate_on_host(memory, bytes);
    });
}

cudaError_t cudaFreeHost(void* memory) {
    return call("cudaFreeHost", [&] {
        if (memory == nullptr) return cudaSuccess;
        if (is_capturing()) return invalidated_capture();
        finish_all(current_device(), false);
        free_pinned(memory);
        return cudaSuccess;
    });
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* address) {
    return call("cudaPointerGetAttributes", [&] {
        *attributes = attributes_of(address);
        return cudaSuccess;
    });
}

}  // extern "C"
