// SPDX-License-Identifier: BSD-3-Clause
// Reports what could spoil a run before it starts: preflight warnings and nodes with unlike CPUs.
#include "jobs/command/preflight.hpp"

#include <fmt/format.h>

#include "collectives/session/preflight.hpp"

namespace shardstone::command {

nlohmann::json run_preflight(const collectives::Communicator& world) {
    const auto found = collectives::preflight(world);
    nlohmann::json kept = nlohmann::json::object();
    for (const auto& warning : found.warnings) {
        fmt::print(stderr, "shardstone: warning: {}\n", warning);
        kept["preflight"].push_back(warning);
    }
    const int cleared = found.leftovers.cleared;
    if (world.is_root() && cleared > 0) kept["leftovers_cleared"] = cleared;
    return kept;
}

void warn_of_different_cpus(const nlohmann::json& machines) {
    for (const auto& machine : machines) {
        const auto& first = machines.front();
        if (machine.at("cpu") == first.at("cpu")) continue;
        fmt::print(
            stderr,
            "shardstone: warning: {} has a different processor ({}) from {} ({}): "
            "measurements are those of the slower one, and results may differ in the last digits\n",
            machine.at("host").get<std::string>(), machine.at("cpu").get<std::string>(),
            first.at("host").get<std::string>(), first.at("cpu").get<std::string>());
        return;
    }
}

}  // namespace shardstone::command
