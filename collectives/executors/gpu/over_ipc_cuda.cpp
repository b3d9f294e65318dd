// SPDX-License-Identifier: BSD-3-Clause
// Transport "over_ipc:ALGORITHM" of schedules between GPUs of one host, whose messages the sender's
// GPU copies into memory of the receiver's (CUDA IPC). Ranks may share a GPU.
#include <fmt/format.h>

#include <algorithm>

#include "collectives/cluster/native.hpp"
#include "collectives/cluster/process.hpp"
#include "collectives/device/devices.hpp"
#include "collectives/device/exported_memory_cuda.hpp"
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
        return fmt::format("rank {} on {}: {}", communicator.rank(), node_name(), error.what());
    }
}

/// Memory of this rank's GPU as others can open it.
std::string exported_handle(const Communicator& communicator) {
    const int gpus = static_cast<int>(list_devices().devices.size());
    SHARDSTONE_CUDA(cudaSetDevice(number_of_gpu(communicator, gpus)));
    const cudaIpcMemHandle_t handle = exported_memory(1).handle;
    return {handle.reserved, sizeof handle.reserved};
}

/// What `act` fails with, beginning with `what`; empty if it does not.
template <class What, class Act>
std::string failure_of(const What& what, const Act& act) {
    try {
        act();
        return {};
    } catch (const Error& error) {
        cudaGetLastError();  // so that later calls do not fail with it
        return fmt::format("{}: {}", what(), error.what());
    }
}

/// What goes wrong where this rank opens the others' memory: containers that share no processes,
/// virtual GPUs and others look as if it could be.
std::string trouble_in_opening(const Communicator& communicator) {
    std::string handle;
    std::string why = failure_of(
        [&] { return fmt::format("rank {} cannot export GPU memory", communicator.rank()); },
        [&] { handle = exported_handle(communicator); });
    const auto handles = communicator.all_gather(handle);
    for (std::size_t other = 0; other < handles.size() && why.empty(); ++other) {
        if (handles[other].empty() || static_cast<int>(other) == communicator.rank()) continue;
        why = failure_of(
            [&] {
                return fmt::format("rank {} cannot open GPU memory of rank {}", communicator.rank(),
                                   other);
            },
            [&] {
                cudaIpcMemHandle_t theirs{};
                handles[other].copy(theirs.reserved, sizeof theirs.reserved);
                open_exported(theirs);
            });
    }
    return why.empty() ? why : why + ": give over_pinned";
}

std::string first_of(const std::vector<std::string>& answers) {
    const auto first = std::ranges::find_if_not(answers, &std::string::empty);
    return first == answers.end() ? std::string{} : *first;
}

std::string ask_all(Communicator& communicator) {
    if (std::string none = no_gpu(communicator); !none.empty()) return none;
    const auto ranks = gpus_on_all_ranks(communicator);
    if (std::string apart = several_hosts(ranks); !apart.empty()) return apart;
    const auto objections = communicator.all_gather(own_objection(communicator, ranks));
    if (std::string first = first_of(objections); !first.empty()) return first;
    return first_of(communicator.all_gather(trouble_in_opening(communicator)));
}

/// Asked once of the GPUs, since it is looked for before every executor.
std::string no_gpu_or_closed(Communicator& communicator) {
    auto& answers = communicator.native().answers;
    auto known = answers.find("over_ipc");
    if (known == answers.end()) {
        known = answers.emplace("over_ipc", ask_all(communicator)).first;
    }
    if (!known->second.empty()) return known->second;
    return apart_as_declared(communicator.topology(), communicator.found_topology());
}

const TransportRegistration registration([] {
    auto over_ipc =
        between_gpus("ipc", "with its messages copied from GPU to GPU of one host, by CUDA IPC",
                     MessagePlace::peer, no_gpu_or_closed);
    over_ipc.kept_vectors = 2;  // exported_memory()
    return over_ipc;
}());

}  // namespace

}  // namespace shardstone::collectives
