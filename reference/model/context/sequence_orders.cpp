// SPDX-License-Identifier: BSD-3-Clause
// Plain blocks and zigzag, and the pairs of query and key that the causal mask leaves.
#include "reference/model/context/sequence_orders.hpp"

#include "kernels/base/error.hpp"
#include "reference/model/partition.hpp"

namespace shardstone::reference {

Positions block_positions(std::int64_t length, int ranks, int rank) {
    const EvenShare share = even_share(length, ranks, rank);
    return {{share.first, share.count}};
}

Positions zigzag_positions(std::int64_t length, int ranks, int rank) {
    const auto front = [&](int r) { return (even_share(length, ranks, r).count + 1) / 2; };
    const auto back = [&](int r) { return even_share(length, ranks, r).count / 2; };
    PositionRange first{0, front(rank)}, second{length - back(rank), back(rank)};
    for (int r = 0; r < rank; ++r) {
        first.first += front(r);
        second.first -= back(r);
    }
    if (second.count == 0) return {first};
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
