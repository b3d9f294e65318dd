// SPDX-License-Identifier: BSD-3-Clause
// Every causal pair of query and key belongs to one rank, and zigzag gives all ranks equally many.
#include "reference/model/context/sequence_orders.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <vector>

#include "reference/model/partition.hpp"

namespace shardstone::validation {
namespace {

using namespace reference;
using Order = Positions (*)(std::int64_t, int, int);

constexpr std::array<Order, 2> orders{block_positions, zigzag_positions};

std::vector<Positions> shares(Order order, std::int64_t length, int ranks) {
    std::vector<Positions> all;
    for (int rank = 0; rank < ranks; ++rank) all.push_back(order(length, ranks, rank));
    return all;
}

/// By query and key, how often ranks compute it against each other's keys.
std::vector<int> times_computed(const std::vector<Positions>& all, std::int64_t length) {
    std::vector<int> times(static_cast<std::size_t>(length * length));
    for (const Positions& own : all) {
        for (const Positions& other : all) {
            for (const VisiblePair& pair : visible_pairs(own, other)) {
                const PositionRange& queries = own[pair.queries];
                const PositionRange& keys = other[pair.keys];
                for (std::int64_t q = queries.first; q < queries.end(); ++q) {
                    const std::int64_t end = pair.causal ? q + 1 : keys.end();
                    for (std::int64_t k = keys.first; k < end; ++k) {
                        ++times[static_cast<std::size_t>(q * length + k)];
                    }
                }
            }
        }
    }
    return times;
}

TEST(SequenceOrders, ShareOutEveryPositionOnceAndEvenly) {
    for (const Order order : orders) {
        for (std::int64_t length = 1; length <= 40; ++length) {
            for (int ranks = 1; ranks <= std::min<std::int64_t>(length, 12); ++ranks) {
                std::vector<std::int64_t> seen;
                for (int rank = 0; rank < ranks; ++rank) {
                    const auto own = listed(order(length, ranks, rank));
                    EXPECT_EQ(std::ssize(own), even_share(length, ranks, rank).count);
                    EXPECT_TRUE(std::ranges::is_sorted(own));
                    seen.insert(seen.end(), own.begin(), own.end());
                }
                std::ranges::sort(seen);
                EXPECT_EQ(seen, listed({{0, length}})) << length << " over " << ranks;
            }
        }
    }
}

TEST(SequenceOrders, EveryCausalPairIsComputedOnce) {
    for (const Order order : orders) {
        for (const std::int64_t length : {1, 2, 7, 16, 24, 33}) {
            for (int ranks = 1; ranks <= std::min<std::int64_t>(length, 9); ++ranks) {
                const auto times = times_computed(shares(order, length, ranks), length);
                for (std::int64_t q = 0; q < length; ++q) {
                    for (std::int64_t k = 0; k < length; ++k) {
                        ASSERT_EQ(times[static_cast<std::size_t>(q * length + k)], k <= q ? 1 : 0)
                            << "query " << q << ", key " << k << ", " << ranks << " ranks";
                    }
                }
            }
        }
    }
}

double most_work(Order order, std::int64_t length, int ranks) {
    const auto all = shares(order, length, ranks);
    double most = 0.0;
    for (const Positions& own : all) {
        double work = 0.0;
        for (const Positions& other : all) work += visible_count(own, other);
        most = std::max(most, work);
    }
    return most;
}

// Of T^2 / 2 pairs zigzag gives each of P ranks the same, plain blocks the last one (2P - 1) / P^2.
TEST(SequenceOrders, ZigzagIsBalancedAndBlocksAreNot) {
    for (const int ranks : {2, 3, 4, 8}) {
        const std::int64_t length = 2 * ranks * 5;
        const auto all = static_cast<double>(length * length) / 2.0;
        EXPECT_DOUBLE_EQ(most_work(zigzag_positions, length, ranks), all / ranks);
        EXPECT_DOUBLE_EQ(most_work(block_positions, length, ranks),
                         all * (2 * ranks - 1) / (ranks * ranks));
    }
}

TEST(SequenceOrders, OfZigzagAreTheFirstAndTheLastPieceTowardsTheMiddle) {
    EXPECT_EQ(zigzag_positions(16, 2, 0), (Positions{{0, 4}, {12, 4}}));
    EXPECT_EQ(zigzag_positions(16, 2, 1), (Positions{{4, 4}, {8, 4}}));
    // 16 over 3 are 6, 5 and 5, and 3 over 2 are 2 and 1.
    EXPECT_EQ(zigzag_positions(16, 3, 0), (Positions{{0, 3}, {13, 3}}));
    EXPECT_EQ(zigzag_positions(16, 3, 1), (Positions{{3, 3}, {11, 2}}));
    EXPECT_EQ(zigzag_positions(16, 3, 2), (Positions{{6, 3}, {9, 2}}));
    EXPECT_EQ(zigzag_positions(3, 2, 1), (Positions{{1, 1}}));
}

}  // namespace
}  // namespace shardstone::validation
