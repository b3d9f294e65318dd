// SPDX-License-Identifier: BSD-3-Clause
// Counts and lists the positions of a sequence that a rank has.
#include "reference/model/sequence_split.hpp"

namespace shardstone::reference {

std::int64_t count_of(const Positions& positions) {
    std::int64_t count = 0;
    for (const PositionRange& range : positions) count += range.count;
    return count;
}

std::vector<std::int64_t> listed(const Positions& positions) {
    std::vector<std::int64_t> all;
    for (const PositionRange& range : positions) {
        for (std::int64_t t = range.first; t < range.end(); ++t) all.push_back(t);
    }
    return all;
}

Positions all_positions(std::int64_t length, int, int) {
    return {{0, length}};
}

}  // namespace shardstone::reference
