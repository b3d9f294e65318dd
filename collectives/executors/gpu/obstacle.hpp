// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "collectives/cluster/topology.hpp"

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

/// Which of them are on different hosts, whose GPUs cannot reach each other's memory, in one line;
/// empty if all are on one.
std::string several_hosts(std::span<const DeviceOfRank> ranks);

/// Which ranks of one node as found are on two as declared, between which nothing may pass that
/// passes inside a node only, in one line; empty if none are. Both of the same ranks.
std::string apart_as_declared(const Topology& declared, const Topology& found);

/// Of a rank's GPU to another one's memory.
enum class Access : std::uint8_t { open, closed, unseen };

/// Which of them has a GPU whose memory that of `rank` cannot reach, in one line; empty if there is
/// none.
std::string closed_gpu(std::span<const DeviceOfRank> ranks, int rank,
                       const std::function<Access(const DeviceOfRank&)>& access_to);

}  // namespace shardstone::collectives
