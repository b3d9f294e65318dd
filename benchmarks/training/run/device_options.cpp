// SPDX-License-Identifier: BSD-3-Clause
// What ranks compute on: cores, GPUs, or devices that are not there. Rows of train_options().
#include "benchmarks/training/run/device_options.hpp"

#include <fmt/format.h>

#include "collectives/device/devices.hpp"

namespace shardstone::benchmarks {

namespace {

using Options = const reference::TrainOptions&;

bool on_gpus(Options options) {
    return options.device == reference::DeviceKind::cuda;
}

std::vector<TrainOption> options_of_pace() {
    const std::string group = "Pace: devices that are not there";
    const auto rate = [](double (*of)(const reference::Pace&)) {
        return [of](Options o) {
            return o.pace ? nlohmann::json(of(*o.pace) * 1e-9) : nlohmann::json();
        };
    };
    return {
        {"--pace", group,
         "GFLOP/s of a device on each rank: a pass takes as long as there, but is not computed, "
         "while programs, messages and bytes are the real ones; no losses",
         "pace_gflop_per_s", rate([](const reference::Pace& pace) { return pace.flop_per_s; })},
        {"--pace-memory", group,
         "GB/s of that device's memory, for norm, update and embedding (default: --pace / 78, as "
         "an A100 has)",
         "pace_memory_gb_per_s",
         rate([](const reference::Pace& pace) { return pace.memory_bytes_per_s; }), "--pace"},
        {"--pace-input", group, "ms in which a micro-batch is loaded (default: 0)", "pace_input_ms",
         [](Options o) {
             return o.pace ? nlohmann::json(o.pace->input_s * 1e3) : nlohmann::json();
         },
         "--pace"},
        {"--pace-slow", group,
         "RANK:FACTOR: a rank whose computations take that many times as long, to see what one "
         "slow device costs",
         "pace_slow",
         [](Options o) {
             const bool is_slow = o.pace && o.pace->slow_factor != 1.0;
             return is_slow ? nlohmann::json(
                                  fmt::format("{}:{}", o.pace->slow_rank, o.pace->slow_factor))
                            : nlohmann::json();
         },
         "--pace"},
    };
}

}  // namespace

std::vector<TrainOption> device_options() {
    std::vector<TrainOption> all{
        {"--device", "Device", "what a rank computes on: cpu (a core), cuda (a GPU)", "device",
         [](Options o) { return to_string(o.device); }},
        {"--graphs", "Device",
         "gives the GPU each step but the first ones as one CUDA graph: it needs less time "
         "between short kernels, as small models have them; within one it is not seen how far it "
         "is, so that --stall-after begins when it has taken ten times the longest step",
         "graphs",
         [](Options o) { return on_gpus(o) ? nlohmann::json(o.graphs) : nlohmann::json(); }},
        {"--tf32", "Device",
         "lets a GPU round the factors of FP32 products to TF32 (11 bits instead of 24), which its "
         "tensor cores multiply several times as fast",
         "tf32", [](Options o) { return on_gpus(o) ? nlohmann::json(o.tf32) : nlohmann::json(); }},
    };
    const auto of_pace = options_of_pace();
    all.insert(all.end(), of_pace.begin(), of_pace.end());
    return all;
}

void add_gpu_name(reference::DeviceKind device, nlohmann::json& configuration) {
    if (device != reference::DeviceKind::cuda) return;
    configuration["gpu"] = collectives::list_devices().devices.front().name;
}

}  // namespace shardstone::benchmarks
