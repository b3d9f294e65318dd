// SPDX-License-Identifier: BSD-3-Clause
// Reports what could spoil a run before it starts: preflight warnings and nodes with unlike CPUs.
#include "jobs/command/preflight.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>
#include <vector>

#include "collectives/session/preflight.hpp"
#include "jobs/command/command.hpp"
#include "kernels/base/error.hpp"

namespace shardstone::command {

namespace {

/// The ranks of one job are told one thing: with several, verdicts would be about nothing.
void require_one_command(const collectives::Communicator& world) {
    const auto& words = command_line();
    const std::vector<std::string> arguments(words.begin() + 1, words.end());
    const auto all = world.gather(fmt::format("{}", fmt::join(arguments, " ")));
    world.agree([&] {
        for (std::size_t rank = 1; rank < all.size(); ++rank) {
            require(all[rank] == all.front(), [&] {
                return fmt::format(
                    "rank 0 was started with '{}', rank {} with '{}': start all ranks with the "
                    "same "
                    "arguments",
                    all.front(), rank, all[rank]);
            });
        }
    });
}

}  // namespace

nlohmann::json run_preflight(const collectives::Communicator& world) {
    require_one_command(world);
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
