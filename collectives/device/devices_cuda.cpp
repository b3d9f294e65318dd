// SPDX-License-Identifier: BSD-3-Clause
// The GPUs that CUDA shows this process, registered as the source of the list of devices.
#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include "collectives/device/devices.hpp"
#include "collectives/device/runtime_cuda.hpp"

namespace shardstone::collectives {

namespace {

std::string text_of(const cudaUUID_t& uuid) {
    std::string text;
    for (const char byte : uuid.bytes) {
        text += fmt::format("{:02x}", static_cast<unsigned>(static_cast<unsigned char>(byte)));
    }
    return text;
}

std::string address_of(const cudaDeviceProp& device) {
    return fmt::format("{:04x}:{:02x}:{:02x}.0", device.pciDomainID, device.pciBusID,
                       device.pciDeviceID);
}

DeviceList list() {
    DeviceList found;
    int count = 0;
    if (const cudaError_t code = cudaGetDeviceCount(&count); code != cudaSuccess || count == 0) {
        cudaGetLastError();  // or the next call that looks would report it once more
        int driver = 0;
        const bool has_driver = cudaDriverGetVersion(&driver) == cudaSuccess && driver > 0;
        found.why_none = code == cudaSuccess ? "CUDA counts none"
                         : has_driver        ? cudaGetErrorString(code)
                                             : "no NVIDIA driver is loaded";
        return found;
    }
    for (int device = 0; device < count; ++device) {
        cudaDeviceProp properties{};
        SHARDSTONE_CUDA(cudaGetDeviceProperties(&properties, device));
        found.devices.push_back({properties.name, text_of(properties.uuid), address_of(properties),
                                 static_cast<std::int64_t>(properties.totalGlobalMem),
                                 properties.l2CacheSize});
    }
    return found;
}

const DeviceSource source(list);

}  // namespace

}  // namespace shardstone::collectives
