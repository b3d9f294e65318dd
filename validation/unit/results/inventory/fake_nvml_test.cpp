// SPDX-License-Identifier: BSD-3-Clause
// Stands for NVIDIA's management library in tests: two GPUs, the second of which supports less.
#include <cstdint>
#include <cstring>

#include "results/inventory/nvml_functions.hpp"

using namespace shardstone::results::nvml;

namespace {

constexpr Code not_supported = 3;

bool is_first(Device device) {
    return reinterpret_cast<std::uintptr_t>(device) == 1;
}

Code give(char* to, unsigned size, const char* text) {
    std::strncpy(to, text, size);
    return success;
}

}  // namespace

extern "C" {

Code nvmlInit_v2() {
    return success;
}
Code nvmlShutdown() {
    return success;
}

Code nvmlSystemGetDriverVersion(char* text, unsigned size) {
    return give(text, size, "550.54.15");
}

Code nvmlDeviceGetCount_v2(unsigned* count) {
    *count = 2;
    return success;
}

Code nvmlDeviceGetHandleByIndex_v2(unsigned index, Device* device) {
    *device = reinterpret_cast<Device>(std::uintptr_t{index} + 1);
    return success;
}

Code nvmlDeviceGetName(Device, char* text, unsigned size) {
    return give(text, size, "NVIDIA H100 80GB HBM3");
}

Code nvmlDeviceGetVbiosVersion(Device device, char* text, unsigned size) {
    return give(text, size, is_first(device) ? "96.00.30.00.01" : "96.00.99.00.01");
}

Code nvmlDeviceGetPciInfo_v3(Device device, PciInfo* pci) {
    *pci = {};
    pci->bus = is_first(device) ? 0x13 : 0x93;
    return success;
}

Code nvmlDeviceGetMemoryInfo(Device, Memory* memory) {
    *memory = {85899345920ULL, 1, 2};  // 80 GiB
    return success;
}

Code nvmlDeviceGetMemoryBusWidth(Device, unsigned* bits) {
    *bits = 5120;
    return success;
}

Code nvmlDeviceGetMaxClockInfo(Device, int type, unsigned* mhz) {
    *mhz = type == clock_memory ? 2619 : type == clock_sm ? 1980 : 1;
    return success;
}

Code nvmlDeviceGetEnforcedPowerLimit(Device, unsigned* milliwatts) {
    *milliwatts = 700000;
    return success;
}

Code nvmlDeviceGetEccMode(Device, int* now, int* pending) {
    *now = 1;
    *pending = 0;
    return success;
}

Code nvmlDeviceGetMigMode(Device device, unsigned* now, unsigned* pending) {
    *now = 0;
    *pending = 1;
    return is_first(device) ? success : not_supported;
}

Code nvmlDeviceGetPersistenceMode(Device, int* mode) {
    *mode = 1;
    return success;
}

Code nvmlDeviceGetTotalEccErrors(Device device, int type, int, unsigned long long* count) {
    *count = type == uncorrected ? 0 : is_first(device) ? 37 : 0;
    return success;
}

/// The first has 18 links, one of them down; the second has none.
Code nvmlDeviceGetNvLinkState(Device device, unsigned link, int* state) {
    *state = link == 5 ? 0 : 1;
    return is_first(device) && link < 18 ? success : not_supported;
}

Code nvmlDeviceGetFieldValues(Device, int count, FieldValue* values) {
    if (count != 1 || values->field != field_nvlink_speed_common) return not_supported;
    const unsigned mb_s = 26562;
    values->code = success;
    values->value = ~0ULL;
    std::memcpy(&values->value, &mb_s, sizeof(mb_s));
    return success;
}

}  // extern "C"
