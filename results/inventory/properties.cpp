// SPDX-License-Identifier: BSD-3-Clause
// The properties that nodes are compared by, what their devices amount to, and the usual value.
#include "results/inventory/properties.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "kernels/base/units.hpp"

namespace shardstone::results {

namespace {

std::string_view word_for_absent(const std::string& kind) {
    if (kind == "variable") return "not set";
    return kind == "library" ? "not loaded" : "not reported";
}

/// ", 50 GB/s" or "".
std::string with_unit(double value, const char* unit) {
    return std::isfinite(value) ? fmt::format(", {:g} {}", value, unit) : "";
}

std::string gpu_in_words(const DeviceRow& gpu) {
    return gpu.model + (std::isfinite(gpu.memory_bytes)
                            ? ", " + format_size(static_cast<std::int64_t>(gpu.memory_bytes))
                            : "");
}

std::string port_in_words(const DeviceRow& port) {
    return port.protocol + (port.state == "up" ? with_unit(port.rate_gb_s, "GB/s") : " down");
}

/// What it can do; devices_below_their_limits() tells of what it does.
std::string lanes_in_words(const DeviceRow& device) {
    if (!std::isfinite(device.pcie_most_width)) return "";
    return fmt::format("x{:g}{}", device.pcie_most_width, with_unit(device.pcie_most_gt_s, "GT/s"));
}

/// Those that are down while others are up are told of in devices_below_their_limits(), too.
std::string nvlinks_in_words(const DeviceRow& gpu) {
    if (!std::isfinite(gpu.links)) return "";
    if (gpu.links == 0.0) return "none up";
    return fmt::format("{:g}{}", gpu.links + gpu.links_down,
                       with_unit(gpu.link_rate_gb_s, "GB/s each"));
}

/// What one device contributes to a property of its node; nothing if the text is empty.
struct DeviceProperty {
    const char* kind;
    const char* subject;
    std::string (*text)(const DeviceRow&);
    double DeviceRow::*number = nullptr;  ///< that `text` is, in some unit
};

std::string unit_text(double value, const char* unit) {
    return std::isfinite(value) ? fmt::format("{:g} {}", value, unit) : "";
}

const std::array device_properties{
    DeviceProperty{"gpu", "GPUs", gpu_in_words},
    DeviceProperty{"gpu", "highest clock",
                   [](const DeviceRow& gpu) { return unit_text(gpu.most_mhz, "MHz"); },
                   &DeviceRow::most_mhz},
    DeviceProperty{"gpu", "power limit",
                   [](const DeviceRow& gpu) { return unit_text(gpu.power_limit_w, "W"); },
                   &DeviceRow::power_limit_w},
    DeviceProperty{"gpu", "NVLinks", nvlinks_in_words},
    DeviceProperty{"gpu", "settings", [](const DeviceRow& gpu) { return gpu.settings; }},
    DeviceProperty{"gpu", "PCIe", lanes_in_words},
    DeviceProperty{"gpu", "firmware", [](const DeviceRow& gpu) { return gpu.firmware; }},
    DeviceProperty{"nic", "ports", port_in_words},
    DeviceProperty{"nic", "MTU",
                   [](const DeviceRow& port) { return unit_text(port.mtu_bytes, "B"); }},
    DeviceProperty{"nic", "PCIe", lanes_in_words},
    DeviceProperty{"nic", "firmware", [](const DeviceRow& port) { return port.firmware; }},
};

/// The names of the devices that have each text.
using Named = std::map<std::string, std::vector<std::string>>;

/// "8 x a; b: gpu3": few are named, and compared without their names.
Value value_of(const Named& devices) {
    constexpr std::size_t named = 2;
    Value value;
    for (const auto& [text, names] : devices) {
        const auto count = fmt::format("{} x {}", names.size(), text);
        const char* separator = value.text.empty() ? "" : "; ";
        value.shown += separator + (names.size() > named || devices.size() == 1
                                        ? count
                                        : fmt::format("{}: {}", text, fmt::join(names, ", ")));
        value.text += separator + count;
    }
    return value;
}

/// Fills in what a node that has nothing of it is said to have, and leaves out what none has.
void keep(Property property, std::vector<Property>& all) {
    bool any = false;
    for (Value& value : property.values) {
        const bool is_there = !value.text.empty() || std::isfinite(value.number);
        any = any || is_there;
        if (!is_there) value.text = word_for_absent(property.kind);
    }
    if (any) all.push_back(std::move(property));
}

void add_facts(const Inventory& all, std::size_t nodes, std::vector<Property>& properties) {
    std::map<std::pair<std::string, std::string>, std::vector<Value>> found;
    for (const FactRow& fact : all.facts) {
        if (fact.kind == "counter") continue;
        auto& values = found[{fact.kind, fact.subject}];
        values.resize(nodes);
        values[static_cast<std::size_t>(fact.node)] = {fact.text, fact.number};
    }
    for (auto& [name, values] : found) keep({name.first, name.second, values}, properties);
}

void add_devices(const Inventory& all, std::size_t nodes, std::vector<Property>& properties) {
    for (const DeviceProperty& one : device_properties) {
        std::vector<Named> found(nodes);
        std::vector<std::vector<double>> numbers(nodes);
        for (const DeviceRow& device : all.devices) {
            if (device.kind != one.kind) continue;
            const std::string text = one.text(device);
            if (text.empty()) continue;
            const auto node = static_cast<std::size_t>(device.node);
            found[node][text].push_back(device.name);
            if (one.number != nullptr) numbers[node].push_back(device.*one.number);
        }
        Property property{one.kind, one.subject, {}};
        for (std::size_t node = 0; node < nodes; ++node) {
            std::ranges::sort(numbers[node]);
            property.values.push_back(value_of(found[node]));
            property.values.back().numbers = std::move(numbers[node]);
        }
        keep(std::move(property), properties);
    }
}

/// "NVLink: 28, PIX to nic: 8, ...".
void add_paths(const Inventory& all, std::size_t nodes, std::vector<Property>& properties) {
    std::vector<std::map<std::string, int>> counts(nodes);
    for (const DeviceLinkRow& link : all.links) {
        if (!link.path.empty()) {
            ++counts[static_cast<std::size_t>(link.node)][link.path + " to " + link.to_kind];
        }
    }
    Property property{"gpu", "paths", std::vector<Value>(nodes)};
    for (std::size_t node = 0; node < nodes; ++node) {
        for (const auto& [path, count] : counts[node]) {
            std::string& text = property.values[node].text;
            text += fmt::format("{}{} x {}", text.empty() ? "" : ", ", count, path);
        }
    }
    keep(std::move(property), properties);
}

}  // namespace

std::vector<Property> properties_of(const Inventory& all, int nodes) {
    std::vector<Property> properties;
    const auto count = static_cast<std::size_t>(nodes);
    add_facts(all, count, properties);
    add_devices(all, count, properties);
    add_paths(all, count, properties);
    return properties;
}

bool alike(const Value& one, const Value& other, double tolerance) {
    const auto are_near = [&](double a, double b) {
        return std::abs(a - b) <= tolerance * std::max(std::abs(a), std::abs(b));
    };
    if (!one.numbers.empty() && !other.numbers.empty()) {
        return std::ranges::equal(one.numbers, other.numbers, are_near);
    }
    if (!std::isfinite(one.number) || !std::isfinite(other.number)) {
        return one.text == other.text && std::isfinite(one.number) == std::isfinite(other.number);
    }
    return are_near(one.number, other.number);
}

Usual usual_of(const std::vector<Value>& values, double tolerance) {
    Usual usual;
    std::ptrdiff_t most = 0;
    for (std::size_t node = 0; node < values.size(); ++node) {
        const auto share = std::ranges::count_if(
            values, [&](const Value& value) { return alike(value, values[node], tolerance); });
        if (share > most) usual = {node, 2 * share > std::ssize(values)};
        most = std::max(most, share);
        if (usual.decided) break;
    }
    return usual;
}

std::string in_words(const Property& property, const Value& value) {
    if (!value.shown.empty()) return value.shown;
    if (!std::isfinite(value.number)) return value.text;
    if (property.subject == "memory_bytes") {
        return format_size(static_cast<std::int64_t>(value.number));
    }
    return fmt::format("{:.10g}", value.number);
}

}  // namespace shardstone::results
