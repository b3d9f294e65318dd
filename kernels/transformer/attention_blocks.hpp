// SPDX-License-Identifier: BSD-3-Clause
// The order in which blocks of a GPU compute attention.
#pragma once

#include <algorithm>
#include <cstdint>

namespace shardstone::device {

/// A block for each tile of a head. Heads are taken a few at a time, so many that what their blocks
/// read stays in the cache; among them the last tiles first, which in causal attention have the
/// most to do, so that the end of the grid is short ones.
struct AttentionBlocks {
    int tiles, heads, heads_at_a_time;

    struct Place {
        int head, tile;  ///< head: sequence * heads + head
    };

    /// `tiles` of each head, which together read `rows` rows of keys and values or the like.
    static constexpr AttentionBlocks of(int tiles, std::int64_t heads, std::int64_t rows,
                                        std::int64_t row_bytes) {
        constexpr std::int64_t kept_bytes = std::int64_t{16} << 20;  // a third of an H100's L2
        const std::int64_t fit = kept_bytes / (rows * row_bytes);
        return {tiles, static_cast<int>(heads),
                static_cast<int>(std::clamp<std::int64_t>(fit, 1, heads))};
    }

    /// Of the block with this number, of tiles * heads.
    constexpr Place at(unsigned block) const {
        const int in_full_round = tiles * heads_at_a_time;
        const int first_head = static_cast<int>(block) / in_full_round * heads_at_a_time;
        const int together = std::min(heads_at_a_time, heads - first_head);
        const int rest = static_cast<int>(block) % in_full_round;
        return {first_head + rest % together, tiles - 1 - rest / together};
    }
};

}  // namespace shardstone::device
