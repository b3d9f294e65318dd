// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string>

namespace shardstone::collectives {

/// The GPU that a rank would use.
struct DeviceOfRank {
    std::string node;
    std::string uuid;      ///< empty: there is none
    std::string why_none;  ///< if there is none
    int visible = 0;       ///< GPUs that the rank sees
};

/// Conversion to a text that ranks can exchange, and back.
std::string to_text(const DeviceOfRank& device);
DeviceOfRank parse_device_of_rank(const std::string& text);

/// The reason why NCCL cannot run on ranks with these GPUs, in one line that names the ranks; empty
/// if it can. NCCL rejects two ranks on one GPU.
std::string obstacle_of(std::span<const DeviceOfRank> ranks);

}  // namespace shardstone::collectives
