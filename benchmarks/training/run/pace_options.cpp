// SPDX-License-Identifier: BSD-3-Clause
// Options of a training whose computations only take time: rows of train_options().
#include "benchmarks/training/run/pace_options.hpp"

namespace shardstone::benchmarks {

std::vector<TrainOption> pace_options() {
    using Options = const reference::TrainOptions&;
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
    };
}

}  // namespace shardstone::benchmarks
