// SPDX-License-Identifier: BSD-3-Clause
// What --device cuda needs to be there, in every command that has it.
#include "jobs/command/device_option.hpp"

#include <fmt/format.h>

#include "collectives/device/devices.hpp"
#include "kernels/base/error.hpp"

namespace shardstone::command {

std::string require_gpu() {
    const collectives::DeviceList gpus = collectives::list_devices();
    require(!gpus.devices.empty(), [&] {
        return fmt::format("--device cuda: no NVIDIA GPU was found: {}; see nvidia-smi, or omit it",
                           gpus.why_none);
    });
    return gpus.devices.front().name;
}

}  // namespace shardstone::command
