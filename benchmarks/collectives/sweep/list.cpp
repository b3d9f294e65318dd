// SPDX-License-Identifier: BSD-3-Clause
#include "benchmarks/collectives/sweep/list.hpp"

#include <fmt/format.h>

#include "collectives/operation/algorithm.hpp"

namespace shardstone::benchmarks {

namespace {

std::string entry_of(const collectives::Algorithm& algorithm) {
    std::string lines = fmt::format("  {}\n    {}\n", algorithm.name, algorithm.summary);
    if (!algorithm.has_schedule()) return lines;
    return lines + fmt::format(
                       "    steps: {}\n    most vectors sent by a rank: {}\n"
                       "    source: {}\n",
                       algorithm.steps_formula, algorithm.volume_formula, algorithm.citation);
}

}  // namespace

std::string list_of_algorithms() {
    std::string lines;
    std::size_t pairs = 0;
    for (const auto& name : collectives::operations()) {
        lines += fmt::format("{}: {}\n", name, collectives::find_operation(name).summary);
        for (const auto& algorithm : collectives::algorithms_for(name)) {
            lines += entry_of(collectives::find_algorithm(name, algorithm));
            ++pairs;
        }
    }
    return lines + fmt::format("{} operations, {} (operation, algorithm) pairs\n",
                               collectives::operations().size(), pairs);
}

}  // namespace shardstone::benchmarks
