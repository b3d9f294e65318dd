// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "collectives/drawing/messages.hpp"
#include "collectives/operation/algorithm.hpp"

namespace shardstone::collectives {

/// Facts next to a drawing, one per line: "Steps", "14, by the formula 2 (P - 1)".
struct Fact {
    std::string name;
    std::string text;
};

/// Ranks, steps, volume, time and source of a schedule.
std::vector<Fact> facts_of(const Algorithm& algorithm, const Schedule& schedule,
                           const std::vector<DrawnMessage>& messages, int segments);

/// The price (price.hpp) of a schedule in this number of segments; if its algorithm is designed for
/// more than one, also that of many.
std::string price_text(const Algorithm& algorithm, const Schedule& schedule, int segments);

/// "all-reduce" for "all_reduce".
std::string spoken(std::string name);

}  // namespace shardstone::collectives
