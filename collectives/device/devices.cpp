// SPDX-License-Identifier: BSD-3-Clause
// The GPUs there are, if something lists them, and those that this run used.
#include "collectives/device/devices.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "kernels/base/units.hpp"

namespace shardstone::collectives {

namespace {

UsedGpus& used() {
    static UsedGpus gpus;
    return gpus;
}

}  // namespace

DeviceList list_devices() {
    const auto& list = DeviceSource::function();
    return list ? list() : DeviceList{{}, "this program was built without CUDA"};
}

const UsedGpus& used_gpus() {
    return used();
}

std::string in_words(const UsedGpus& gpus) {
    if (gpus.names.empty()) return {};
    std::map<std::string, std::size_t> ranks_on;
    for (const std::string& name : gpus.names) ++ranks_on[name];
    const bool is_shared = gpus.different < gpus.names.size();
    std::vector<std::string> names, software;
    for (const auto& [name, ranks] : ranks_on) {
        names.push_back(is_shared ? name : fmt::format("{} x {}", ranks, name));
    }
    for (const auto& [name, version] : gpus.software) software.push_back(name + " " + version);
    return fmt::format("{} on {} ({}); {}", counted(std::ssize(gpus.names), "rank"),
                       counted(static_cast<std::int64_t>(gpus.different), "GPU"),
                       fmt::join(names, ", "), fmt::join(software, ", "));
}

std::string used_gpu_in_words(std::size_t rank) {
    return used().names.at(rank) + " at " + used().addresses.at(rank);
}

std::string used_gpus_in_words(int ranks) {
    const auto different = static_cast<std::int64_t>(used().different);
    if (different >= ranks) return counted(ranks, "GPU");
    return fmt::format("{} that share {}", counted(ranks, "rank"), counted(different, "GPU"));
}

bool are_emulated(const UsedGpus& gpus) {
    return std::ranges::any_of(gpus.names,
                               [](const auto& name) { return name.starts_with("emulated"); });
}

void note_used_gpus(const UsedGpus& gpus) {
    if (gpus.names.size() > used().names.size()) {
        const auto software = std::move(used().software);
        used() = gpus;
        used().software = software;
    }
    for (const auto& [name, version] : gpus.software) used().software[name] = version;
}

}  // namespace shardstone::collectives
