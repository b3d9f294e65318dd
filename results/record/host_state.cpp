// SPDX-License-Identifier: BSD-3-Clause
// What the kernel says of a machine beyond its topology: clocks, memory at hand, network devices.
#include "results/record/host_state.hpp"

#include <sched.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <optional>

#include "results/record/kernel_files.hpp"

namespace shardstone::results {

namespace {

using nlohmann::json;
namespace fs = std::filesystem;

/// "key: value" or "key  : value" in a file of such lines, as a number that a record can hold.
std::optional<double> number_behind(const fs::path& path, const std::string& key) {
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) {
        const auto colon = line.find(':');
        if (line.starts_with(key) && colon != std::string::npos) {
            const double value = std::strtod(line.c_str() + colon + 1, nullptr);
            return std::isfinite(value) ? std::optional(value) : std::nullopt;
        }
    }
    return std::nullopt;
}

/// Of a number of KiB; as much as fits.
std::int64_t bytes_of(double kibibytes) {
    constexpr double kib = 1024.0, most = 0x1p62;
    return static_cast<std::int64_t>(std::clamp(kibibytes * kib, 0.0, most));
}

json clock_state(const HostFiles& files) {
    json state = json::object();
    const fs::path frequency = files.sys / "devices/system/cpu/cpu0/cpufreq";
    if (const auto governor = line_of_file(frequency / "scaling_governor")) {
        state["governor"] = *governor;
    }
    if (const auto most = number_of_file(frequency / "cpuinfo_max_freq")) {
        state["most_mhz"] = *most / 1e3;
    }
    if (const auto now = number_behind(files.proc / "cpuinfo", "cpu MHz")) state["mhz"] = *now;
    return state;
}

json network_devices(const HostFiles& files) {
    json devices = json::array();
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(files.sys / "class/net", ignored)) {
        const auto name = entry.path().filename().string();
        if (name == "lo") continue;
        json device{{"name", name}};
        const auto speed = number_of_file(entry.path() / "speed");
        if (speed && *speed > 0.0) device["mbit_per_s"] = *speed;
        devices.push_back(device);
    }
    for (const auto& entry : fs::directory_iterator(files.sys / "class/infiniband", ignored)) {
        json device{{"name", entry.path().filename().string()}, {"infiniband", true}};
        if (const auto rate = line_of_file(entry.path() / "ports/1/rate")) device["rate"] = *rate;
        devices.push_back(device);
    }
    const auto by_name = [](const json& a, const json& b) { return a.at("name") < b.at("name"); };
    std::sort(devices.begin(), devices.end(), by_name);

    return devices;
}

}  // namespace

json host_state(const HostFiles& files) {
    json state{{"clock", clock_state(files)}, {"network_devices", network_devices(files)}};
    if (const auto total = number_behind(files.proc / "meminfo", "MemTotal")) {
        state["memory_bytes"] = bytes_of(*total);
    }
    if (const auto free = number_behind(files.proc / "meminfo", "MemAvailable")) {
        state["available_memory_bytes"] = bytes_of(*free);
    }
    return state;
}

std::string usable_cpus() {
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof(set), &set) != 0) return "";
    std::string text;
    for (int first = 0; first < CPU_SETSIZE; ++first) {
        if (!CPU_ISSET(first, &set)) continue;
        int last = first;
        while (last + 1 < CPU_SETSIZE && CPU_ISSET(last + 1, &set)) ++last;
        text += (text.empty() ? "" : ",") + std::to_string(first);
        if (last > first) text += "-" + std::to_string(last);
        first = last;
    }
    return text;
}

}  // namespace shardstone::results
