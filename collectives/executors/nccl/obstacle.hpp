// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string>

namespace shardstone::collectives {

/// The GPU that a rank would take.
struct DeviceOfRank {
    std::string node;
    std::string uuid;      ///< empty: there is none
    std::string why_none;  ///< where there is none
    int visible = 0;       ///< GPUs that the rank sees
};

/// As one text that a rank can tell another, and back.
std::string to_text(const DeviceOfRank& device);
DeviceOfRank parse_device_of_rank(const std::string& text);

/// What keeps NCCL from running on ranks with these GPUs, in one line that names the ranks; empty:
/// nothing. NCCL refuses two ranks on one GPU.
std::string obstacle_of(std::span<const DeviceOfRank> ranks);

}  // namespace shardstone::collectives
