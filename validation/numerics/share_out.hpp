// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include "collectives/cluster/communicator.hpp"
#include "kernels/base/interrupt.hpp"

namespace shardstone::validation {

/// Work that ranks do alone: rank r does items r, r + P, ...; `body` gives `width` numbers of an
/// item. All of them, by item, on every rank; nothing on any where a signal came to one of them
/// (interrupt.hpp), on which bodies may give up early. Collective; bodies do not communicate over
/// `world`.
inline std::optional<std::vector<std::vector<double>>> share_out(
    const collectives::Communicator& world, std::size_t items, std::size_t width,
    const std::function<std::vector<double>(std::size_t)>& body) {
    const auto ranks = static_cast<std::size_t>(world.size());
    const std::size_t turns = (items + ranks - 1) / ranks;
    std::vector<double> mine(turns * width);
    const auto stopped = [&] { return world.max(interrupted() ? 1.0 : 0.0) > 0.0; };
    for (std::size_t turn = 0; turn < turns; ++turn) {
        const std::size_t item = turn * ranks + static_cast<std::size_t>(world.rank());
        if (stopped()) return std::nullopt;
        if (item >= items) break;
        const std::vector<double> numbers = body(item);
        SHARDSTONE_EXPECTS(numbers.size() == width);
        std::copy(numbers.begin(), numbers.end(),
                  mine.begin() + static_cast<std::ptrdiff_t>(turn * width));
    }
    if (stopped()) return std::nullopt;
    const std::vector<double> all = world.all_gather(mine);
    std::vector<std::vector<double>> results;
    for (std::size_t item = 0; item < items; ++item) {
        const std::size_t first = (item % ranks * turns + item / ranks) * width;
        const auto begin = all.begin() + static_cast<std::ptrdiff_t>(first);
        results.emplace_back(begin, begin + static_cast<std::ptrdiff_t>(width));
    }
    return results;
}

}  // namespace shardstone::validation
