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

/// Which of the ranks with these GPUs has none, in one line; empty if each has one.
std::string missing_gpu(std::span<const DeviceOfRank> ranks);

/// Which of them would share one, in one line; empty if none would. NCCL rejects two ranks on one
/// GPU.
std::string shared_gpu(std::span<const DeviceOfRank> ranks);

}  // namespace shardstone::collectives
