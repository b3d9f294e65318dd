// SPDX-License-Identifier: BSD-3-Clause
// The positions of tokens in kernels, in groups of rows of the table, in order and sorted by row.
#pragma once

#include "kernels/base/device/block_sums.hpp"
#include "kernels/base/device/elements.hpp"

namespace shardstone::device::token_groups {

// The rows of the table are dealt to `groups` in turn, so that frequent tokens, whose numbers are
// often neighbours, come to different ones. The block x of the grid has group x. It looks at all
// tokens, a tile of consecutive ones at a time: finds the positions whose rows its group has, in
// order, and sorts them by row of the table. Typically all tokens are one tile, and a group has a
// dozen of them.
inline constexpr int groups = 1024;
inline constexpr int warps = 8, threads = warps * warp_size;
inline constexpr int most_rows = (1 << 16) / groups;  ///< of a group: tokens have 16 bits
inline constexpr int tokens_per_load = pack_size<std::uint16_t>;
using Load = Pack<std::uint16_t, tokens_per_load>;
inline constexpr int tokens_per_step = warp_size * tokens_per_load;  ///< of a warp
inline constexpr int most_steps = 8;  ///< of a warp in a tile: as many as fill a word with bits
inline constexpr int capacity = 4096;
/// Zeros behind the positions that are found.
inline constexpr int padding = 16;
static_assert(warps * tokens_per_step <= capacity, "a tile of one step always fits");

/// A position of the group: its row of the table, counted in the group, its place in the tile, and
/// whether it is the first or the last of its row there.
using Key = std::uint32_t;
inline constexpr Key is_first = 1U << 31U, is_last = 1U << 30U;
__device__ inline Key key(int row, int place) {
    return static_cast<Key>(row) << 16U | static_cast<Key>(place);
}
__device__ inline int row_of(Key key) {
    return static_cast<int>(key >> 16U) % most_rows;
}
__device__ inline int place_of(Key key) {
    return static_cast<int>(key & 0xffffU);
}

struct Found {  // shared by the block
    Key in_order[capacity];
    Key by_row[capacity + padding];
    int of_row[most_rows];  ///< how many
    int of_warp[warps];
};

struct Tokens {
    const std::uint16_t* data;
    std::int64_t count;
    unsigned first_token, rows;

    /// The token's row in the table; of another shard if that is not less than `rows`.
    __device__ unsigned row(std::uint16_t token) const { return token - first_token; }
    __device__ bool is_own(std::uint16_t token) const {
        return row(token) < rows && row(token) % groups == blockIdx.x;
    }
};

__device__ inline int own_lane() {
    return static_cast<int>(threadIdx.x) % warp_size;
}
__device__ inline int own_warp() {
    return static_cast<int>(threadIdx.x) / warp_size;
}

/// Where in a tile the tokens lie that a thread reads in a step.
__device__ inline int place(int step, int steps) {
    return (own_warp() * steps + step) * tokens_per_step + own_lane() * tokens_per_load;
}

/// Bit j: token j of those that are read at once is of the group.
__device__ inline unsigned bits_of_load(const Tokens& tokens, const Load& load) {
    unsigned bits = 0;
#pragma unroll
    for (int j = 0; j < tokens_per_load; ++j) {
        if (tokens.is_own(load.element[j])) bits |= 1U << j;
    }
    return bits;
}

/// The same of those from `at` on, of which there may be fewer.
__device__ inline unsigned bits_one_by_one(const Tokens& tokens, std::int64_t at) {
    unsigned bits = 0;
#pragma unroll 1
    for (int j = 0; j < tokens_per_load && at + j < tokens.count; ++j) {
        if (tokens.is_own(tokens.data[at + j])) bits |= 1U << j;
    }
    return bits;
}

/// Those bits of all steps, of the first one in the lowest place.
__device__ inline std::uint64_t bits_of_tile(const Tokens& tokens, std::int64_t begin, int steps) {
    const std::int64_t end = begin + static_cast<std::int64_t>(steps) * tokens_per_step * warps;
    std::uint64_t bits = 0;
    if (end <= tokens.count && reinterpret_cast<std::uintptr_t>(tokens.data + begin) % 16 == 0) {
        Load loads[most_steps] = {};
#pragma unroll
        for (int step = 0; step < most_steps; ++step) {
            if (step < steps) loads[step] = load_pack(tokens.data + begin + place(step, steps));
        }
#pragma unroll
        for (int step = 0; step < most_steps; ++step) {
            if (step >= steps) break;
            bits |= std::uint64_t{bits_of_load(tokens, loads[step])} << step * tokens_per_load;
        }
        return bits;
    }
#pragma unroll 1
    for (int step = 0; step < steps; ++step) {
        bits |= std::uint64_t{bits_one_by_one(tokens, begin + place(step, steps))}
                << step * tokens_per_load;
    }
    return bits;
}

/// How many are of the group in this warp's part of the tile goes to found.of_warp. Returns all.
__device__ inline int count_in_tile(std::uint64_t bits, Found& found) {
    __syncthreads();  // what was found before has been read
    const int own = over_warp(__popcll(bits));
    if (own_lane() == 0) found.of_warp[own_warp()] = own;
    if (threadIdx.x < most_rows) found.of_row[threadIdx.x] = 0;
    __syncthreads();
    int all = 0;
    for (int warp = 0; warp < warps; ++warp) all += found.of_warp[warp];
    return all;
}

__device__ inline void write_in_order(const Tokens& tokens, std::int64_t begin, int steps,
                                      std::uint64_t bits, Found& found) {
    int at = 0;
    for (int warp = 0; warp < own_warp(); ++warp) at += found.of_warp[warp];
    for (int step = 0; step < steps; ++step) {
        const auto own = static_cast<unsigned>(bits >> step * tokens_per_load) & 0xffU;
        if (__ballot_sync(whole_warp, own != 0) == 0) continue;
        int through = __popc(own);  // of this lane and those before it
        for (int distance = 1; distance < warp_size; distance *= 2) {
            const int before = __shfl_sync(whole_warp, through, own_lane() - distance);
            if (own_lane() >= distance) through += before;
        }
        int to = at + through - __popc(own);
        for (int j = 0; j < tokens_per_load; ++j) {
            if ((own >> j & 1U) == 0) continue;
            const int in_tile = place(step, steps) + j;
            const int row = static_cast<int>(tokens.row(tokens.data[begin + in_tile]) / groups);
            found.in_order[to++] = key(row, in_tile);
            atomicAdd(&found.of_row[row], 1);
        }
        at += __shfl_sync(whole_warp, through, warp_size - 1);
    }
}

/// found.by_row = in_order, stably sorted by row, with zeros behind; each warp takes rows in turn.
__device__ inline void sort_by_row(int count, Found& found) {
    if (threadIdx.x < padding) found.by_row[count + threadIdx.x] = 0;
    for (int row = own_warp(); row < most_rows; row += warps) {
        const int of_row = found.of_row[row];
        if (of_row == 0) continue;
        int before = 0;
        for (int other = own_lane(); other < row; other += warp_size) before += found.of_row[other];
        const int begin = over_warp(before);
        int done = 0;
        for (int i = 0; done < of_row; i += warp_size) {
            const Key key = i + own_lane() < count ? found.in_order[i + own_lane()] : Key{0};
            const bool is_own = i + own_lane() < count && row_of(key) == row;
            const unsigned all = __ballot_sync(whole_warp, is_own);
            const int rank = done + __popc(all & ((1U << own_lane()) - 1U));
            if (is_own) {
                found.by_row[begin + rank] =
                    key | (rank == 0 ? is_first : 0U) | (rank + 1 == of_row ? is_last : 0U);
            }
            done += __popc(all);
        }
    }
}

/// How many positions of the group a tile of so many tokens has.
struct Tile {
    int found, tokens;
};
/// Finds the group's positions from `begin` on, in as large a tile as `found` has room for.
__device__ inline Tile find_in_tile(const Tokens& tokens, std::int64_t begin, Found& found) {
    // As many steps as have all of their tokens, if any has.
    const std::int64_t left = (tokens.count - begin) / (warps * tokens_per_step);
    int steps = static_cast<int>(left < 1 ? 1 : left < most_steps ? left : most_steps);
    int count = 0;
    std::uint64_t bits = 0;
    for (;; steps = 1) {
        bits = bits_of_tile(tokens, begin, steps);
        count = count_in_tile(bits, found);
        if (count <= capacity) break;
    }
    if (count > 0) {
        write_in_order(tokens, begin, steps, bits, found);
        __syncthreads();
        sort_by_row(count, found);
        __syncthreads();
    }
    return {count, steps * warps * tokens_per_step};
}

}  // namespace shardstone::device::token_groups
