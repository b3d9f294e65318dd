// SPDX-License-Identifier: BSD-3-Clause
// Reports what could spoil a run before it starts: preflight warnings and nodes with unlike CPUs.
#include "jobs/command/preflight.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <ranges>
#include <string>

#include "collectives/session/preflight.hpp"
#include "jobs/command/command.hpp"
#include "kernels/base/error.hpp"

namespace shardstone::command {

namespace {

/// What this rank was asked to do, without the names of outputs, which rank 0 alone writes.
std::string asked() {
    constexpr std::array outputs{"--json", "--hdf5", "--output", "--trace", "--out"};
    std::string text;
    bool is_name = false;
    for (const std::string& word : command_line() | std::views::drop(1)) {
        const bool names = std::ranges::find(outputs, word) != outputs.end();
        if (!names && !is_name) text += (text.empty() ? "" : " ") + word;
        is_name = names;
    }
    return text;
}

/// With several, verdicts would be about nothing.
void require_one_command(const collectives::Communicator& world) {
    const auto all = world.gather(asked());
    world.agree([&] {
        for (std::size_t rank = 1; rank < all.size(); ++rank) {
            require(all[rank] == all.front(), [&] {
                return fmt::format(
                    "rank 0 was started with '{}', rank {} with '{}': give all ranks the same "
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
