// SPDX-License-Identifier: BSD-3-Clause
// Blocks of a GPU in the order of attention: every tile of every head once, whatever the cache
// holds.
#include "kernels/transformer/attention_blocks.hpp"

#include <gtest/gtest.h>

#include <set>
#include <utility>
#include <vector>

namespace shardstone::validation {
namespace {

using device::AttentionBlocks;

std::vector<std::pair<int, int>> places(const AttentionBlocks& blocks) {
    std::vector<std::pair<int, int>> heads_and_tiles;
    for (int block = 0; block < blocks.tiles * blocks.heads; ++block) {
        const auto [head, tile] = blocks.at(static_cast<unsigned>(block));
        heads_and_tiles.emplace_back(head, tile);
    }
    return heads_and_tiles;
}

TEST(AttentionBlocks, HaveEveryTileOfEveryHeadOnce) {
    for (int tiles = 1; tiles <= 4; ++tiles) {
        for (int heads = 1; heads <= 7; ++heads) {
            for (int together = 1; together <= heads; ++together) {
                const auto all = places({tiles, heads, together});
                const std::set<std::pair<int, int>> found(all.begin(), all.end());
                EXPECT_EQ(found.size(), all.size()) << tiles << " " << heads << " " << together;
                EXPECT_EQ(*found.begin(), std::pair(0, 0));
                EXPECT_EQ(*found.rbegin(), std::pair(heads - 1, tiles - 1));
            }
        }
    }
}

TEST(AttentionBlocks, TakeSomeHeadsAtATimeAndTheirLastTilesFirst) {
    const std::vector<std::pair<int, int>> expected{{0, 2}, {1, 2}, {0, 1}, {1, 1}, {0, 0},
                                                    {1, 0}, {2, 2}, {2, 1}, {2, 0}};
    EXPECT_EQ(places({3, 3, 2}), expected);
}

// 16 MiB are 65,536 rows of 256 B.
TEST(AttentionBlocks, TakeWhatTheCacheHolds) {
    EXPECT_EQ(AttentionBlocks::of(1, 400, 1024, 256).heads_at_a_time, 64);
    EXPECT_EQ(AttentionBlocks::of(1, 6, 1024, 256).heads_at_a_time, 6) << "no more than there are";
    EXPECT_EQ(AttentionBlocks::of(1, 3, 1 << 20, 256).heads_at_a_time, 1) << "more than it holds";
}

}  // namespace
}  // namespace shardstone::validation
