// SPDX-License-Identifier: BSD-3-Clause
// Functions of the CUDA runtime: devices and what they are like.
#include <fmt/format.h>

#include <cstring>

#include "validation/emulated_device/calls.hpp"
#include "validation/emulated_device/limits.hpp"
#include "validation/emulated_device/memory.hpp"
#include "validation/emulated_device/settings.hpp"

namespace shardstone::emulated {

namespace {

thread_local int chosen_device = 0;
constexpr int version = CUDART_VERSION;

bool is_device(int device) {
    return device >= 0 && device < settings().devices;
}

cudaDeviceProp properties_of(int device) {
    cudaDeviceProp made{};
    std::strcpy(made.name, "emulated device");
    std::memcpy(made.uuid.bytes, "shardstone", 10);
    made.uuid.bytes[15] = static_cast<char>(device);
    made.totalGlobalMem = static_cast<std::size_t>(settings().memory_bytes);
    made.l2CacheSize = 1 << 20;
    made.multiProcessorCount = 4;
    made.major = 9;
    made.minor = 0;
    made.warpSize = 32;
    made.maxThreadsPerBlock = static_cast<int>(most_threads_per_block);
    made.maxThreadsPerMultiProcessor = 2048;
    made.sharedMemPerBlock = shared_bytes_without_asking;
    made.sharedMemPerBlockOptin = most_shared_bytes;
    made.sharedMemPerMultiprocessor = most_shared_bytes + 1024;
    made.regsPerBlock = made.regsPerMultiprocessor = 65536;
    made.l2CacheSize = 50 << 20;
    made.asyncEngineCount = 3;
    made.unifiedAddressing = 1;
    made.pciBusID = device + 1;
    return made;
}

cudaError_t attribute_of(const cudaDeviceProp& device, cudaDeviceAttr attribute, int& value) {
    switch (attribute) {
        case cudaDevAttrMultiProcessorCount:
            value = device.multiProcessorCount;
            break;
        case cudaDevAttrComputeCapabilityMajor:
            value = device.major;
            break;
        case cudaDevAttrComputeCapabilityMinor:
            value = device.minor;
            break;
        case cudaDevAttrWarpSize:
            value = device.warpSize;
            break;
        case cudaDevAttrMaxThreadsPerBlock:
            value = device.maxThreadsPerBlock;
            break;
        case cudaDevAttrMaxThreadsPerMultiProcessor:
            value = device.maxThreadsPerMultiProcessor;
            break;
        case cudaDevAttrMaxSharedMemoryPerBlock:
            value = static_cast<int>(device.sharedMemPerBlock);
            break;
        case cudaDevAttrMaxSharedMemoryPerBlockOptin:
            value = static_cast<int>(device.sharedMemPerBlockOptin);
            break;
        case cudaDevAttrMaxSharedMemoryPerMultiprocessor:
            value = static_cast<int>(device.sharedMemPerMultiprocessor);
            break;
        case cudaDevAttrL2CacheSize:
            value = device.l2CacheSize;
            break;
        default:
            return cudaErrorNotSupported;
    }
    return cudaSuccess;
}

}  // namespace

int current_device() {
    return chosen_device;
}

}  // namespace shardstone::emulated

extern "C" {

using namespace shardstone::emulated;  // of the double, whose functions these are

cudaError_t cudaGetDeviceCount(int* count) {
    *count = 0;
    return call("cudaGetDeviceCount", [&] {
        *count = settings().devices;
        return cudaSuccess;
    });
}

cudaError_t cudaSetDevice(int device) {
    return call("cudaSetDevice", [&] {
        if (!is_device(device)) return cudaErrorInvalidDevice;
        chosen_device = device;
        return cudaSuccess;
    });
}

cudaError_t cudaGetDevice(int* device) {
    return call("cudaGetDevice", [&] {
        *device = current_device();
        return cudaSuccess;
    });
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
    return call("cudaGetDeviceProperties", [&] {
        if (!is_device(device)) return cudaErrorInvalidDevice;
        *properties = properties_of(device);
        return cudaSuccess;
    });
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
    return call("cudaDeviceGetAttribute", [&] {
        if (!is_device(device)) return cudaErrorInvalidDevice;
        return attribute_of(properties_of(device), attribute, *value);
    });
}

cudaError_t cudaDeviceCanAccessPeer(int* can, int device, int peer) {
    return call("cudaDeviceCanAccessPeer", [&] {
        if (!is_device(device) || !is_device(peer)) return cudaErrorInvalidDevice;
        *can = settings().peers && device != peer ? 1 : 0;
        return cudaSuccess;
    });
}

cudaError_t cudaDeviceGetPCIBusId(char* text, int length, int device) {
    return call("cudaDeviceGetPCIBusId", [&] {
        if (!is_device(device)) return cudaErrorInvalidDevice;
        const std::string id = fmt::format("0000:{:02x}:00.0", device + 1);
        if (length <= static_cast<int>(id.size())) return cudaErrorInvalidValue;
        std::strcpy(text, id.c_str());
        return cudaSuccess;
    });
}

cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* total) {
    return call("cudaMemGetInfo", [&] {
        *total = static_cast<std::size_t>(settings().memory_bytes);
        *free = *total - static_cast<std::size_t>(device_bytes_in_use(current_device()));
        return cudaSuccess;
    });
}

cudaError_t cudaRuntimeGetVersion(int* number) {
    *number = version;
    return cudaSuccess;
}

cudaError_t cudaDriverGetVersion(int* number) {
    *number = version;
    return cudaSuccess;
}

}  // extern "C"
