// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "kernels/base/provided.hpp"

namespace shardstone::collectives {

/// A GPU of this node that this process may use.
struct Device {
    std::string name;
    std::string uuid;     ///< the same in every process that sees the device
    std::string address;  ///< on PCIe, "0000:13:00.0"
    std::int64_t memory_bytes = 0;
    std::int64_t cache_bytes = 0;  ///< its last level
};

struct DeviceList {
    std::vector<Device> devices;
    std::string why_none;  ///< empty when there are some
};

/// The available GPUs: none, with the reason, in a build without CUDA. Local; does not use any.
DeviceList list_devices();

/// What a run did on GPUs, for its record. Empty where it used none.
struct UsedGpus {
    std::vector<std::string> names;      ///< by rank, on rank 0 of those who chose together
    std::vector<std::string> addresses;  ///< of these: Device::address
    std::size_t different = 0;           ///< of them; fewer than names where ranks share GPUs
    std::size_t most_sharing = 0;        ///< ranks that share one
    std::map<std::string, std::string> software;  ///< "CUDA driver": "13.0"
};
const UsedGpus& used_gpus();
/// "8 ranks on 8 GPUs (8 x NVIDIA H100 80GB HBM3); CUDA driver 13.0, NCCL 2.27.3", each name with
/// the ranks that have one of these, unless they share; empty of none.
std::string in_words(const UsedGpus& gpus);
/// Of a rank, on rank 0: "NVIDIA H200 at 0000:13:00.0", which tells it from the others of its node.
std::string used_gpu_in_words(std::size_t rank);
/// Those of so many ranks, in words: "3 GPUs", or "3 ranks that share 1 GPU".
std::string used_gpus_in_words(int ranks);
/// Whether tests emulate them on cores.
bool are_emulated(const UsedGpus& gpus);
/// Keeps the longest list of names, that of most ranks, and all software.
void note_used_gpus(const UsedGpus& gpus);

/// The source of list_devices().
using DeviceSource = Provided<DeviceList()>;

}  // namespace shardstone::collectives
