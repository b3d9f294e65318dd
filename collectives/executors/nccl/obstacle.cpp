// SPDX-License-Identifier: BSD-3-Clause
// Why NCCL cannot run on these ranks: one without a GPU, or two that would share one.
#include "collectives/executors/nccl/obstacle.hpp"

#include <fmt/format.h>

#include <map>
#include <sstream>

namespace shardstone::collectives {

std::string to_text(const DeviceOfRank& device) {
    return fmt::format("{}\n{}\n{}\n{}", device.visible, device.node, device.uuid, device.why_none);
}

DeviceOfRank parse_device_of_rank(const std::string& text) {
    std::istringstream lines(text);
    std::string visible;
    DeviceOfRank device;
    std::getline(lines, visible);
    std::getline(lines, device.node);
    std::getline(lines, device.uuid);
    std::getline(lines, device.why_none);
    device.visible = std::stoi(visible);
    return device;
}

std::string obstacle_of(std::span<const DeviceOfRank> ranks) {
    std::map<std::string, std::size_t> taken_by;
    for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
        const DeviceOfRank& device = ranks[rank];
        if (device.uuid.empty()) {
            return fmt::format(
                "no NVIDIA GPU was found by rank {} on {} ({}): run where each rank has one, or "
                "name another algorithm",
                rank, device.node, device.why_none);
        }
        const auto [other, is_first] = taken_by.emplace(device.uuid, rank);
        if (!is_first) {
            return fmt::format(
                "ranks {} and {} on {} would share a GPU, which NCCL refuses: start at most {} "
                "rank(s) on that node, or name another algorithm",
                other->second, rank, device.node, device.visible);
        }
    }
    return {};
}

}  // namespace shardstone::collectives
