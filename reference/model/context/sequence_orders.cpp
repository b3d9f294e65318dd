// SPDX-License-Identifier: BSD-3-Clause
// Plain blocks and zigzag, and the pairs of query and key that are not masked.
#include "reference/model/context/sequence_orders.hpp"

#include <algorithm>

#include "kernels/base/error.hpp"
#include "reference/model/partition.hpp"

namespace shardstone::reference {

Positions block_positions(std::int64_t length, int ranks, int rank) {
    const EvenShare share = even_share(length, ranks, rank);
    return {{share.first, share.count}};
}

Positions zigzag_positions(std::int64_t length, int ranks, int rank) {
    const EvenShare share = even_share(length, ranks, rank);
    const std::int64_t front = (share.count + 1) / 2, back = share.count / 2;
    // Of the preceding ranks, the first length % ranks have one position more than the others.
    const std::int64_t least = length / ranks,
                       larger = std::min<std::int64_t>(rank, length % ranks);
    const std::int64_t before = larger * ((least + 2) / 2) + (rank - larger) * ((least + 1) / 2);
    const PositionRange first{before, front};
    const PositionRange second{length - (share.first - before) - back, back};
    if (back == 0) return {first};
    return {first, second};
}

std::vector<VisiblePair> visible_pairs(const Positions& own, const Positions& other) {
    std::vector<VisiblePair> pairs;
    for (std::size_t q = 0; q < own.size(); ++q) {
        for (std::size_t k = 0; k < other.size(); ++k) {
            const bool same = own[q] == other[k];
            SHARDSTONE_EXPECTS(same || own[q].end() <= other[k].first ||
                               other[k].end() <= own[q].first);
            if (other[k].first <= own[q].first) pairs.push_back({q, k, same});
        }
    }
    return pairs;
}

double visible_count(const Positions& own, const Positions& other) {
    double count = 0.0;
    for (const VisiblePair& pair : visible_pairs(own, other)) {
        const auto all = static_cast<double>(own[pair.queries].count * other[pair.keys].count);
        count += pair.causal ? all / 2.0 : all;
    }
    return count;
}

}  // namespace shardstone::reference
