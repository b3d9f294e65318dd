// SPDX-License-Identifier: BSD-3-Clause
// A node's counters of throttling, memory, network and PCIe errors, and which of them changed.
#include "results/record/health.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <optional>
#include <span>
#include <string_view>

namespace shardstone::results {

namespace {

namespace fs = std::filesystem;

constexpr std::array throttling{"core_throttle_count", "package_throttle_count"};
constexpr std::array of_memory{"ce_count", "ue_count"};
constexpr std::array of_ethernet{"rx_errors",       "tx_errors",        "rx_crc_errors",
                                 "rx_frame_errors", "rx_dropped",       "rx_missed_errors",
                                 "tx_dropped",      "tx_carrier_errors"};
constexpr std::array of_infiniband{"symbol_error",
                                   "link_error_recovery",
                                   "link_downed",
                                   "port_rcv_errors",
                                   "port_rcv_remote_physical_errors",
                                   "local_link_integrity_errors",
                                   "excessive_buffer_overrun_errors",
                                   "port_xmit_discards"};
constexpr std::array of_infiniband_hardware{"out_of_sequence",       "packet_seq_err",
                                            "local_ack_timeout_err", "rnr_nak_retry_err",
                                            "rx_icrc_encapsulated",  "roce_adp_retrans"};
constexpr std::array of_pcie{"aer_dev_correctable", "aer_dev_nonfatal", "aer_dev_fatal"};

/// What a healthy network does, too, when many send to one.
constexpr std::array only_said{
    "rx_dropped",      "tx_dropped",     "rx_missed_errors",      "port_xmit_discards",
    "out_of_sequence", "packet_seq_err", "local_ack_timeout_err", "rnr_nak_retry_err",
    "roce_adp_retrans"};

/// A number alone, or that behind TOTAL_... where there is a line for each kind.
std::optional<std::int64_t> number_in(const fs::path& path) {
    std::ifstream file(path);
    std::int64_t value = 0;
    if (file >> value) return value;
    file.clear();
    for (std::string word; file >> word;) {
        if (word.starts_with("TOTAL_") && file >> value) return value;
    }
    return std::nullopt;
}

void add(const fs::path& folder, std::span<const char* const> names, const std::string& whose,
         HealthCounters& counters) {
    for (const char* name : names) {
        if (const auto value = number_in(folder / name)) counters[whose + " " + name] = *value;
    }
}

/// Of a folder that may not be there or not be shown; links are followed by whoever reads them.
template <class Action>
void for_each_in(const fs::path& folder, std::string_view beginning, Action&& action) {
    std::error_code ignored;
    for (fs::directory_iterator entry(folder, ignored), end; entry != end;
         entry.increment(ignored)) {
        const auto name = entry->path().filename().string();
        if (name.starts_with(beginning)) action(entry->path(), name);
        if (ignored) return;
    }
}

}  // namespace

HealthCounters read_health(const HostFiles& files) {
    HealthCounters counters;
    const fs::path system = files.sys / "devices/system";
    for_each_in(system / "cpu", "cpu", [&](const fs::path& cpu, const std::string& name) {
        add(cpu / "thermal_throttle", throttling, name, counters);
    });
    for_each_in(system / "edac/mc", "mc", [&](const fs::path& controller, const std::string& name) {
        add(controller, of_memory, name, counters);
    });
    for_each_in(files.sys / "class/net", "", [&](const fs::path& device, const std::string& name) {
        std::error_code ignored;
        if (!fs::exists(device / "device", ignored)) return;  // loopback, bridges, containers'
        add(device / "statistics", of_ethernet, name, counters);
        add(device, std::array{"carrier_down_count"}, name, counters);
    });
    const fs::path infiniband = files.sys / "class/infiniband";
    for_each_in(infiniband, "", [&](const fs::path& device, const std::string& name) {
        for_each_in(device / "ports", "", [&](const fs::path& port, const std::string& number) {
            add(port / "counters", of_infiniband, name + "/" + number, counters);
            add(port / "hw_counters", of_infiniband_hardware, name + "/" + number, counters);
        });
    });
    for_each_in(files.sys / "bus/pci/devices", "",
                [&](const fs::path& device, const std::string& name) {
                    add(device, of_pcie, name, counters);
                });
    return counters;
}

std::vector<HealthChange> health_changes(const HealthCounters& before,
                                         const HealthCounters& after) {
    std::vector<HealthChange> changes;
    for (const auto& [counter, value] : after) {
        const auto earlier = before.find(counter);
        if (earlier == before.end() || earlier->second == value) continue;
        const std::string name = counter.substr(counter.find(' ') + 1);
        changes.push_back({counter, earlier->second, value,
                           std::ranges::find(only_said, name) == only_said.end()});
    }
    return changes;
}

std::vector<std::string> failed_health(const nlohmann::json& environment) {
    std::vector<std::string> failed;
    const auto changes = environment.find("health");
    if (changes == environment.end() || !changes->is_array()) return failed;
    for (const nlohmann::json& one : *changes) {
        const auto text = [&](const char* name) {
            return one.contains(name) && one.at(name).is_string() ? one.at(name).get<std::string>()
                                                                  : std::string("?");
        };
        const auto number = [&](const char* name) {
            return one.contains(name) ? one.at(name).dump() : std::string("?");
        };
        if (!one.is_object() || !one.contains("fails") || one.at("fails") != true) continue;
        failed.push_back(fmt::format("{}: {} went from {} to {}", text("node"), text("counter"),
                                     number("before"), number("after")));
    }
    return failed;
}

}  // namespace shardstone::results
