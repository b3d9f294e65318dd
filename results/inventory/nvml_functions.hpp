// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace shardstone::results::nvml {

// The part of NVML's interface (nvml.h of NVIDIA's driver, unchanged since version 11) that is
// called here, so that neither its header nor the library is needed to build.

using Device = void*;
using Code = int;
constexpr Code success = 0;

struct PciInfo {
    char legacy_address[16];
    unsigned domain, bus, device, device_id, subsystem_id;
    char address[32];
};

struct Memory {
    unsigned long long total, free, used;
};

struct FieldValue {
    unsigned field, scope;
    long long timestamp, latency_us;
    int type;
    Code code;
    unsigned long long value;  ///< a union in the original, whose first 4 bytes hold an unsigned
};

constexpr int clock_sm = 1, clock_memory = 2;       // nvmlClockType_t
constexpr int corrected = 0, uncorrected = 1;       // nvmlMemoryErrorType_t
constexpr int since_driver_was_loaded = 0;          // NVML_VOLATILE_ECC
constexpr unsigned most_links = 36;                 // NVML_NVLINK_MAX_LINKS
constexpr unsigned field_nvlink_speed_common = 90;  // ..._NVLINK_SPEED_MBPS_COMMON
constexpr int sensor_of_gpu = 0;                    // NVML_TEMPERATURE_GPU

/// What holds the clocks down, bits of nvmlClocksEventReason...
constexpr unsigned long long by_power = 0x4 | 0x80;     // SwPowerCap, HwPowerBrakeSlowdown
constexpr unsigned long long by_heat = 0x20 | 0x40;     // Sw-, HwThermalSlowdown
constexpr unsigned long long by_either = 0x8;           // HwSlowdown: heat, power or its supply
constexpr unsigned long long by_settings = 0x2 | 0x10;  // ApplicationsClocksSetting, SyncBoost

/// Null where the library lacks a function.
struct Functions {
    Code (*init)() = nullptr;
    Code (*shutdown)() = nullptr;
    Code (*driver_version)(char*, unsigned) = nullptr;
    Code (*count)(unsigned*) = nullptr;
    Code (*handle)(unsigned, Device*) = nullptr;
    Code (*name)(Device, char*, unsigned) = nullptr;
    Code (*firmware)(Device, char*, unsigned) = nullptr;
    Code (*pci)(Device, PciInfo*) = nullptr;
    Code (*memory)(Device, Memory*) = nullptr;
    Code (*memory_bus_bits)(Device, unsigned*) = nullptr;
    Code (*most_clock_mhz)(Device, int, unsigned*) = nullptr;
    Code (*power_limit_mw)(Device, unsigned*) = nullptr;
    Code (*ecc)(Device, int*, int*) = nullptr;
    Code (*mig)(Device, unsigned*, unsigned*) = nullptr;
    Code (*persistence)(Device, int*) = nullptr;
    Code (*memory_errors)(Device, int, int, unsigned long long*) = nullptr;
    Code (*link_state)(Device, unsigned, int*) = nullptr;
    Code (*field_values)(Device, int, FieldValue*) = nullptr;
    Code (*handle_at)(const char* address, Device*) = nullptr;
    Code (*energy_mj)(Device, unsigned long long*) = nullptr;  ///< since the driver was loaded
    Code (*power_mw)(Device, unsigned*) = nullptr;
    Code (*clock_mhz)(Device, int, unsigned*) = nullptr;
    Code (*celsius)(Device, int, unsigned*) = nullptr;
    Code (*clock_limits)(Device, unsigned long long*) = nullptr;
};

}  // namespace shardstone::results::nvml
