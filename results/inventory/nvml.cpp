// SPDX-License-Identifier: BSD-3-Clause
// GPUs, their limits and NVLinks as NVIDIA's management library tells.
#include "results/inventory/nvml.hpp"

#include <fmt/format.h>

#include <array>
#include <optional>

#include "kernels/base/utf8.hpp"
#include "results/inventory/nvml_library.hpp"

namespace shardstone::results {

namespace {

using namespace nvml;

double number(std::optional<unsigned> value, double scale = 1.0) {
    return value ? *value * scale : not_measured;
}

std::string text(Code (*function)(Device, char*, unsigned), Device device) {
    std::array<char, 96> buffer{};
    if (function == nullptr || function(device, buffer.data(), buffer.size() - 1) != success) {
        return "";
    }
    return as_utf8(buffer.data());
}

void add_setting(const char* name, std::optional<bool> on, DeviceRow& row) {
    if (!on) return;
    row.settings +=
        fmt::format("{}{} {}", row.settings.empty() ? "" : ", ", name, *on ? "on" : "off");
}

std::string settings_of(const Functions& f, Device device) {
    DeviceRow row;
    int now = 0, pending = 0;
    unsigned partition = 0, pending_partition = 0;
    if (f.ecc != nullptr && f.ecc(device, &now, &pending) == success) {
        add_setting("ECC", now != 0, row);
    }
    if (f.mig != nullptr && f.mig(device, &partition, &pending_partition) == success) {
        add_setting("MIG", partition != 0, row);
    }
    const auto persistent = asked<int>(f.persistence, device);
    if (persistent) add_setting("persistence", *persistent != 0, row);
    return row.settings;
}

/// Links that the GPU has not got answer with an error.
void add_nvlinks(const Functions& f, Device device, DeviceRow& row) {
    int up = 0, down = 0;
    for (unsigned link = 0; link < most_links; ++link) {
        const auto state = asked<int>(f.link_state, device, link);
        if (state) ++(*state != 0 ? up : down);
    }
    row.links = up;
    row.links_down = down;
    FieldValue speed{};
    speed.field = field_nvlink_speed_common;
    if (up == 0 || f.field_values == nullptr || f.field_values(device, 1, &speed) != success ||
        speed.code != success) {
        return;
    }
    constexpr double mega_per_giga = 1e3;
    row.link_rate_gb_s = static_cast<double>(static_cast<unsigned>(speed.value)) / mega_per_giga;
}

/// Both edges of the clock carry data.
double memory_rate_gb_s(const Functions& f, Device device) {
    const double mhz = number(asked<unsigned>(f.most_clock_mhz, device, clock_memory));
    const double bits = number(asked<unsigned>(f.memory_bus_bits, device));
    constexpr double edges = 2.0, bits_per_byte = 8.0, mega_per_giga = 1e3;
    return mhz * edges * bits / bits_per_byte / mega_per_giga;
}

double errors_of(const Functions& f, Device device, int type) {
    const auto count =
        asked<unsigned long long>(f.memory_errors, device, type, since_driver_was_loaded);
    return count ? static_cast<double>(*count) : not_measured;
}

NvmlGpu read_gpu(const Functions& f, Device device) {
    NvmlGpu gpu;
    DeviceRow& row = gpu.row;
    row.model = text(f.name, device);
    row.firmware = text(f.firmware, device);
    if (const auto pci = asked<PciInfo>(f.pci, device)) {
        row.address = fmt::format("{:04x}:{:02x}:{:02x}.0", pci->domain, pci->bus, pci->device);
    }
    if (const auto memory = asked<Memory>(f.memory, device)) {
        row.memory_bytes = static_cast<double>(memory->total);
    }
    row.memory_rate_gb_s = memory_rate_gb_s(f, device);
    row.most_mhz = number(asked<unsigned>(f.most_clock_mhz, device, clock_sm));
    constexpr double watts_per_milliwatt = 1e-3;
    row.power_limit_w = number(asked<unsigned>(f.power_limit_mw, device), watts_per_milliwatt);
    row.settings = settings_of(f, device);
    add_nvlinks(f, device, row);
    gpu.corrected_errors = errors_of(f, device, corrected);
    gpu.uncorrected_errors = errors_of(f, device, uncorrected);
    return gpu;
}

}  // namespace

NvmlReading read_nvml(const std::string& name) {
    NvmlReading reading;
    const NvmlLibrary library(name);
    reading.why_none = library.why_none();
    if (!reading.why_none.empty()) return reading;
    const Functions& f = library.functions();
    std::array<char, 96> driver{};
    if (f.driver_version != nullptr &&
        f.driver_version(driver.data(), driver.size() - 1) == success) {
        reading.driver = as_utf8(driver.data());
    }
    const unsigned count = asked<unsigned>(f.count).value_or(0);
    for (unsigned index = 0; index < count; ++index) {
        const auto device = asked<Device>(f.handle, index);
        if (device) reading.gpus.push_back(read_gpu(f, *device));
    }
    return reading;
}

}  // namespace shardstone::results
