// SPDX-License-Identifier: BSD-3-Clause
// The catalogue behind `collectives --list`: algorithms with steps, volume and source.
#include "benchmarks/collectives/sweep/list.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "benchmarks/collectives/sweep/selection.hpp"
#include "collectives/device/devices.hpp"
#include "collectives/operation/algorithm.hpp"

namespace shardstone::benchmarks {

namespace {

/// What the machine must have, and whether this one has it.
std::string need_of(const collectives::Algorithm& algorithm) {
    if (!algorithm.obstacle) return "";
    const collectives::DeviceList list = collectives::list_devices();
    const bool through_nccl = algorithm.name.find("nccl") != std::string::npos;
    return fmt::format("    needs {}; {}\n", through_nccl ? "a GPU for each rank" : "GPUs",
                       list.devices.empty() ? "none here, " + list.why_none
                                            : fmt::format("{} here", list.devices.size()));
}

std::string entry_of(const collectives::Algorithm& algorithm) {
    std::string lines =
        fmt::format("  {}\n    {}\n{}", algorithm.name, algorithm.summary, need_of(algorithm));
    if (!algorithm.has_schedule()) return lines;
    return lines + fmt::format(
                       "    steps: {}\n    vectors sent by the busiest rank: {}\n"
                       "    source: {}\n",
                       algorithm.steps_formula, algorithm.volume_formula, algorithm.citation);
}

}  // namespace

std::string list_of_algorithms(const SweepOptions& options) {
    const bool others = !options.on_gpus() &&
                        std::ranges::find(options.algorithms, "all") != options.algorithms.end();
    const auto selected = selected_operations(options);
    std::string lines;
    std::size_t pairs = 0;
    std::size_t on_gpus = 0;
    for (const OperationPlan& planned : selected) {
        const collectives::Operation& operation = *planned.operation;
        lines += fmt::format("{}: {}\n", operation.name, operation.summary);
        for (const auto& algorithm : planned.algorithms) lines += entry_of(algorithm);
        pairs += planned.algorithms.size();
        if (!others) continue;
        for (const auto& name : collectives::conditional_algorithms_for(operation.name)) {
            lines += entry_of(collectives::find_algorithm(operation, name));
            ++on_gpus;
        }
    }
    return lines + fmt::format("{} operations, {} (operation, algorithm) pairs{}\n",
                               selected.size(), pairs,
                               on_gpus > 0 ? fmt::format(", {} more on GPUs", on_gpus) : "");
}

}  // namespace shardstone::benchmarks
