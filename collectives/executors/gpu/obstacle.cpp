// SPDX-License-Identifier: BSD-3-Clause
// What keeps ranks from GPUs: one has none, two would share one, or one cannot reach another's.
#include "collectives/executors/gpu/obstacle.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <sstream>

#include "kernels/base/units.hpp"

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

std::string missing_gpu(std::span<const DeviceOfRank> ranks) {
    const auto none = std::ranges::find_if(ranks, &std::string::empty, &DeviceOfRank::uuid);
    if (none == ranks.end()) return {};
    return fmt::format(
        "no NVIDIA GPU was found by rank {} on {} ({}): run where each rank has one, or on cores",
        none - ranks.begin(), none->node, none->why_none);
}

std::string shared_gpu(std::span<const DeviceOfRank> ranks) {
    std::map<std::string, std::size_t> taken_by;
    for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
        const DeviceOfRank& device = ranks[rank];
        const auto [other, is_first] = taken_by.emplace(device.uuid, rank);
        if (is_first || device.uuid.empty()) continue;
        return fmt::format(
            "ranks {} and {} on {} would share a GPU, which NCCL refuses: start at most {} "
            "on that node",
            other->second, rank, device.node, counted(device.visible, "rank"));
    }
    return {};
}

std::string several_hosts(std::span<const DeviceOfRank> ranks) {
    const auto other = std::ranges::find_if(
        ranks, [&](const DeviceOfRank& one) { return one.node != ranks.front().node; });
    if (other == ranks.end()) return {};
    return fmt::format(
        "ranks 0 and {} are on different hosts, {} and {}, whose GPUs cannot reach each other's "
        "memory: give over_pinned",
        other - ranks.begin(), ranks.front().node, other->node);
}

std::string apart_as_declared(const Topology& declared, const Topology& found) {
    for (int rank = 1; rank < declared.size(); ++rank) {
        if (declared.same_node(0, rank) || !found.same_node(0, rank)) continue;
        return fmt::format(
            "ranks 0 and {} are on different nodes as declared (--ranks-per-node), and these "
            "messages pass inside a node only: give over_pinned",
            rank);
    }
    return {};
}

std::string closed_gpu(std::span<const DeviceOfRank> ranks, int rank,
                       const std::function<Access(const DeviceOfRank&)>& access_to) {
    for (std::size_t other = 0; other < ranks.size(); ++other) {
        const Access access = access_to(ranks[other]);
        if (access == Access::unseen) {
            return fmt::format(
                "rank {} on {} does not see the GPU of rank {}, and so cannot open its memory: let "
                "each rank see all GPUs of its node (CUDA_VISIBLE_DEVICES; of Slurm "
                "--gpus-per-node "
                "without --gpus-per-task), or give over_pinned",
                rank, ranks[static_cast<std::size_t>(rank)].node, other);
        }
        if (access == Access::closed) {
            return fmt::format(
                "the GPU of rank {} on {} has no peer access to that of rank {}: give over_pinned",
                rank, ranks[static_cast<std::size_t>(rank)].node, other);
        }
    }
    return {};
}

}  // namespace shardstone::collectives
