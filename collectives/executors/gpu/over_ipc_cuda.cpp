// SPDX-License-Identifier: BSD-3-Clause
// Transport "over_ipc:ALGORITHM" of schedules between GPUs of one host, whose messages the sender's
// GPU copies into memory of the receiver's (CUDA IPC). Ranks may share a GPU.
#include <algorithm>

#include "collectives/cluster/native.hpp"
#include "collectives/device/devices.hpp"
#include "collectives/device/runtime_cuda.hpp"
#include "collectives/executors/gpu/gpu_of_rank.hpp"
#include "collectives/executors/gpu/transport_cuda.hpp"
#include "kernels/base/error.hpp"

namespace shardstone::collectives {

namespace {

/// What number `gpu` of the devices that a process sees has of another one's memory.
Access access_of(int gpu, const std::string& other_uuid, const std::vector<Device>& visible) {
    const auto other = std::ranges::find(visible, other_uuid, &Device::uuid);
    if (other == visible.end()) return Access::unseen;
    const int peer = static_cast<int>(other - visible.begin());
    if (peer == gpu) return Access::open;
    int can = 0;
    SHARDSTONE_CUDA(cudaDeviceCanAccessPeer(&can, gpu, peer));
    return can != 0 ? Access::open : Access::closed;
}

/// What this rank has against the others' GPUs.
std::string own_objection(const Communicator& communicator,
                          const std::vector<DeviceOfRank>& ranks) {
    try {
        const auto visible = list_devices().devices;
        const int gpu = number_of_gpu(communicator, static_cast<int>(visible.size()));
        return closed_gpu(ranks, communicator.rank(), [&](const DeviceOfRank& other) {
            return access_of(gpu, other.uuid, visible);
        });
    } catch (const Error& error) {  // the others wait for an answer
        return error.what();
    }
}

std::string ask_all(Communicator& communicator) {
    if (std::string none = no_gpu(communicator); !none.empty()) return none;
    const auto ranks = gpus_on_all_ranks(communicator);
    if (std::string apart = several_hosts(ranks); !apart.empty()) return apart;
    const auto objections = communicator.all_gather(own_objection(communicator, ranks));
    const auto first = std::ranges::find_if_not(objections, &std::string::empty);
    return first == objections.end() ? std::string{} : *first;
}

/// Asked once: it is looked for before every executor.
std::string no_gpu_or_closed(Communicator& communicator) {
    auto& answers = communicator.native().answers;
    const auto known = answers.find("over_ipc");
    if (known != answers.end()) return known->second;
    return answers["over_ipc"] = ask_all(communicator);
}

const TransportRegistration over_ipc(
    between_gpus("ipc", "with its messages copied from GPU to GPU of one host, by CUDA IPC",
                 MessagePlace::peer, no_gpu_or_closed));

}  // namespace

}  // namespace shardstone::collectives
