// SPDX-License-Identifier: BSD-3-Clause
// The registry of parallel strategies, kept in the order in which they add to a step program.
#include "reference/step/strategy.hpp"

#include <algorithm>
#include <utility>

namespace shardstone::reference {

namespace {

std::vector<StrategyEntry>& registry() {
    static std::vector<StrategyEntry> entries;
    return entries;
}

}  // namespace

StrategyRegistration::StrategyRegistration(StrategyEntry entry) {
    auto& entries = registry();
    const auto place = std::ranges::upper_bound(entries, entry.order, {}, &StrategyEntry::order);
    entries.insert(place, std::move(entry));
}

const std::vector<StrategyEntry>& strategies() {
    return registry();
}

}  // namespace shardstone::reference
