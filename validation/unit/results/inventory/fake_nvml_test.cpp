// SPDX-License-Identifier: BSD-3-Clause
// Stands for NVIDIA's management library in tests: two GPUs, the second of which supports less; and
// as many on the first buses, where the emulated device has its own, each like the second but for
// its power.
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <ctime>

#include "results/inventory/nvml_functions.hpp"

using namespace shardstone::results::nvml;

namespace {

constexpr Code not_supported = 3, not_found = 6;

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

Code nvmlDeviceGetHandleByPciBusId_v2(const char* address, Device* device) {
    unsigned domain = 0, bus = 0;
    if (std::sscanf(address, "%x:%x:00.0", &domain, &bus) != 2 || domain != 0) return not_found;
    const std::uintptr_t index = bus == 0x13 ? 1 : bus == 0x93 ? 2 : bus + 2;
    if (bus == 0 || index > 10) return not_found;
    *device = reinterpret_cast<Device>(index);
    return success;
}

/// 700 W since the machine started, or 350; on bus b of the emulated device 350 + 10 b.
Code nvmlDeviceGetTotalEnergyConsumption(Device device, unsigned long long* millijoules) {
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    const auto milliseconds = static_cast<unsigned long long>(now.tv_sec) * 1000 +
                              static_cast<unsigned long long>(now.tv_nsec) / 1000000;
    const auto index = reinterpret_cast<std::uintptr_t>(device);
    *millijoules = milliseconds * (index == 1 ? 700 : 350 + 10 * (index - 2));
    return success;
}

/// Another figure than energy over time.
/// On bus b of the emulated device 340.5 W + 10 b.
Code nvmlDeviceGetPowerUsage(Device device, unsigned* milliwatts) {
    const auto index = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(device));
    *milliwatts = is_first(device) ? 690500 : 340500 + 10000 * (index - 2);
    return success;
}

Code nvmlDeviceGetClockInfo(Device device, int type, unsigned* mhz) {
    *mhz = type != clock_sm ? 2619 : is_first(device) ? 1980 : 1755;
    return success;
}

Code nvmlDeviceGetTemperature(Device device, int sensor, unsigned* celsius) {
    *celsius = sensor != sensor_of_gpu ? 1 : is_first(device) ? 61 : 75;
    return success;
}

/// The first is idle, which holds nothing down; SwPowerCap and SwThermalSlowdown do the second.
Code nvmlDeviceGetCurrentClocksEventReasons(Device device, unsigned long long* reasons) {
    *reasons = is_first(device) ? 0x1 : 0x4 | 0x20;
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
