// SPDX-License-Identifier: BSD-3-Clause
// What --device cuda needs to be there, in every command that has it.
#include "jobs/command/device_option.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "collectives/cluster/process.hpp"
#include "collectives/device/devices.hpp"
#include "collectives/executors/gpu/gpu_of_rank.hpp"
#include "collectives/operation/transport.hpp"
#include "kernels/base/error.hpp"

namespace shardstone::command {

std::string require_gpu() {
    const collectives::DeviceList gpus = collectives::list_devices();
    require(!gpus.devices.empty(), [&] {
        const int rank = collectives::launcher_rank();
        const std::string where =
            collectives::launcher_size() > 1
                ? fmt::format(" on {} (rank {})", collectives::node_name(), rank)
                : std::string();
        return fmt::format(
            "--device cuda: no NVIDIA GPU was found: {}; see nvidia-smi{}, or omit it",
            gpus.why_none, where);
    });
    return gpus.devices.front().name;
}

void require_messages_between_gpus(collectives::Communicator& world) {
    if (world.size() == 1) return;
    const auto all = collectives::transports();
    const auto nccl = std::ranges::find(all, "nccl", &collectives::Transport::name);
    const std::string why =
        nccl == all.end()
            ? "several ranks pass their messages through NCCL, which this program was "
              "built without: give one rank, or build it where nccl.h is"
            : (*nccl)->obstacle(world);
    world.agree([&] { require(why.empty(), [&] { return "--device cuda: " + why; }); });
}

void require_device(collectives::Communicator& world, reference::DeviceKind device) {
    if (device != reference::DeviceKind::cuda) return;
    world.agree([] { require_gpu(); });
    require_messages_between_gpus(world);
}

std::int64_t least_heads(reference::DeviceKind device, std::int64_t channels, std::int64_t usual) {
    constexpr std::int64_t widest = 128;
    if (device != reference::DeviceKind::cuda) return usual;
    return std::max(usual, (channels + widest - 1) / widest);
}

void choose_gpus([[maybe_unused]] const collectives::Communicator& world) {
#ifdef SHARDSTONE_HAS_CUDA
    collectives::choose_gpu_of_rank(world);
#endif
}

std::string title_on(const collectives::Communicator& world, reference::DeviceKind device,
                     const std::string& title) {
    if (device != reference::DeviceKind::cuda) return title;
    tell_gpus(world);
    return title + " on " + collectives::used_gpus_in_words(world.size());
}

void tell_gpus(const collectives::Communicator& world) {
    choose_gpus(world);
    if (world.is_root()) fmt::print("{}\n", in_words(collectives::used_gpus()));
}

}  // namespace shardstone::command
