// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "results/inventory/nvml_library.hpp"
#include "results/schema/topology.hpp"

namespace shardstone::results {

/// One GPU as NVIDIA's management library (NVML) describes it.
struct NvmlGpu {
    DeviceRow row;  ///< address, model, memory, clocks, power, NVLinks, settings, firmware
    double corrected_errors = not_measured;  ///< of its memory, since the driver was loaded
    double uncorrected_errors = not_measured;
};

struct NvmlReading {
    std::vector<NvmlGpu> gpus;
    std::string driver;    ///< its version
    std::string why_none;  ///< why nothing was read; empty if it was
};

/// Loads `library` (a path, or a name for the loader) and reads all GPUs that it shows; what a
/// GPU or the library does not support is left out. Local.
NvmlReading read_nvml(const std::string& library);

}  // namespace shardstone::results
