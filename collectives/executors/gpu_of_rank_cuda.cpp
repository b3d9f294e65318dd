// SPDX-License-Identifier: BSD-3-Clause
// The GPU of a process, chosen once by the rank's lane on its node.
#include <fmt/format.h>

#include "collectives/cluster/process.hpp"
#include "collectives/device/devices.hpp"
#include "collectives/device/runtime_cuda.hpp"
#include "collectives/executors/gpu_of_rank.hpp"
#include "kernels/base/error.hpp"

namespace shardstone::collectives {

namespace {

std::optional<int> chosen;

}  // namespace

void choose_gpu_of_rank(const Communicator& world) {
    const DeviceList gpus = list_devices();
    world.agree([&] {
        require(!gpus.devices.empty(), [&] {
            return fmt::format("rank {} on {} sees no GPU: {}", world.rank(), node_name(),
                               gpus.why_none);
        });
    });
    const int number =
        world.found_topology().lane_of(world.rank()) % static_cast<int>(gpus.devices.size());
    SHARDSTONE_CUDA(cudaSetDevice(number));
    chosen = number;
    note_used_gpus(
        {world.gather(gpus.devices[static_cast<std::size_t>(number)].name), cuda_versions()});
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
