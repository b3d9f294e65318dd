// SPDX-License-Identifier: BSD-3-Clause
// The GPU of a process, chosen once by the rank's lane on its node.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "collectives/cluster/process.hpp"
#include "collectives/device/devices.hpp"
#include "collectives/device/runtime_cuda.hpp"
#include "collectives/executors/gpu/gpu_of_rank.hpp"
#include "kernels/base/error.hpp"

namespace shardstone::collectives {

namespace {

std::optional<int> chosen;

DeviceOfRank gpu_of_rank(const Communicator& communicator) {
    DeviceList found;
    try {
        found = list_devices();
    } catch (const Error& error) {
        found.why_none = error.what();
    }
    DeviceOfRank mine{node_name(), {}, found.why_none, static_cast<int>(found.devices.size())};
    const int number = number_of_gpu(communicator, std::max(mine.visible, 1));
    if (mine.visible > 0) mine.uuid = found.devices[static_cast<std::size_t>(number)].uuid;
    return mine;
}

std::vector<DeviceOfRank> parsed(const std::vector<std::string>& texts) {
    std::vector<DeviceOfRank> ranks;
    for (const auto& text : texts) ranks.push_back(parse_device_of_rank(text));
    return ranks;
}

}  // namespace

void choose_gpu_of_rank(const Communicator& world) {
    const DeviceList gpus = list_devices();
    world.agree([&] {
        require(!gpus.devices.empty(), [&] {
            return fmt::format("rank {} on {} sees no GPU: {}", world.rank(), node_name(),
                               gpus.why_none);
        });
    });
    const int number = number_of_gpu(world, static_cast<int>(gpus.devices.size()));
    SHARDSTONE_CUDA(cudaSetDevice(number));
    chosen = number;
    note_gpus(world);
}

// Where each rank sees only its own GPU (Slurm's --gpus-per-task), that is number 0 for all.
// Declared nodes have no GPUs of their own.
int number_of_gpu(const Communicator& communicator, int visible) {
    if (const auto number = chosen_gpu()) return *number;
    return communicator.found_topology().lane_of(communicator.rank()) % visible;
}

int use_gpu_of_rank(const Communicator& communicator) {
    const DeviceOfRank mine = gpu_of_rank(communicator);
    const bool all_have_one = communicator.min(mine.uuid.empty() ? 0.0 : 1.0) > 0.0;
    if (!all_have_one) {
        const auto why = communicator.broadcast(missing_gpu(gpus_of_ranks(communicator)));
        communicator.agree([&] { fail(why); });
    }
    const int number = number_of_gpu(communicator, mine.visible);
    SHARDSTONE_CUDA(cudaSetDevice(number));
    return number;
}

std::vector<DeviceOfRank> gpus_of_ranks(const Communicator& communicator) {
    return parsed(communicator.gather(to_text(gpu_of_rank(communicator))));
}

std::vector<DeviceOfRank> gpus_on_all_ranks(const Communicator& communicator) {
    return parsed(communicator.all_gather(to_text(gpu_of_rank(communicator))));
}

void note_gpus(const Communicator& communicator, std::map<std::string, std::string> versions) {
    const auto gpus = list_devices().devices;
    const auto own =
        static_cast<std::size_t>(number_of_gpu(communicator, static_cast<int>(gpus.size())));
    versions.merge(cuda_versions());
    std::map<std::string, std::size_t> ranks_on;
    for (const auto& uuid : communicator.gather(gpus[own].uuid)) ++ranks_on[uuid];
    std::size_t most = 0;
    for (const auto& [uuid, ranks] : ranks_on) most = std::max(most, ranks);
    note_used_gpus({communicator.gather(gpus[own].name), communicator.gather(gpus[own].address),
                    ranks_on.size(), most, std::move(versions)});
}

std::map<std::string, std::string> cuda_versions() {
    const auto in_words = [](int version) {
        return fmt::format("{}.{}", version / 1000, version / 10 % 100);
    };
    int driver = 0, runtime = 0;
    SHARDSTONE_CUDA(cudaDriverGetVersion(&driver));
    SHARDSTONE_CUDA(cudaRuntimeGetVersion(&runtime));
    return {{"CUDA driver", in_words(driver)}, {"CUDA runtime", in_words(runtime)}};
}

std::optional<int> chosen_gpu() {
    return chosen;
}

}  // namespace shardstone::collectives
