// SPDX-License-Identifier: BSD-3-Clause
// The gradient of the tokens' table on the GPU: rows of the same token are added in their order,
// without anything being sorted in memory.
#include "kernels/base/device/block_sums.hpp"
#include "kernels/base/device/elements.hpp"
#include "kernels/transformer/embedding.hpp"

namespace shardstone {

namespace {

using namespace device;

// The rows of the table are dealt to `groups` in turn, so that frequent tokens, whose numbers are
// often neighbours, come to different ones. A block has a group and a slice of the columns. It
// looks at all tokens, a tile of consecutive ones at a time: finds the positions whose rows its
// group has, in order, sorts them by row of the table, and adds the rows of the gradient one after
// the other, each thread in a column of its own. Typically all tokens are one tile, and a group has
// a dozen of them.
constexpr int groups = 1024;
constexpr int warps = 8, threads = warps * warp_size;
constexpr int most_rows = (1 << 16) / groups;  ///< of a group: tokens have 16 bits
constexpr int tokens_per_load = pack_size<std::uint16_t>;
using Load = Pack<std::uint16_t, tokens_per_load>;
constexpr int tokens_per_step = warp_size * tokens_per_load;  ///< of a warp
constexpr int most_steps = 8;  ///< of a warp in a tile: as many as fill a word with bits
constexpr int capacity = 4096;
// Rows of the gradient whose loads are under way at a time, of several tokens or of one.
constexpr int mixed = 16, run = 32;
static_assert(warps * tokens_per_step <= capacity, "a tile of one step always fits");

/// A position of the group: its row of the table, counted in the group, its place in the tile, and
/// whether it is the first or the last of its row there.
using Key = std::uint32_t;
constexpr Key is_first = 1U << 31U, is_last = 1U << 30U;
__device__ Key key(int row, int place) {
    return static_cast<Key>(row) << 16U | static_cast<Key>(place);
}
__device__ int row_of(Key key) {
    return static_cast<int>(key >> 16U) % most_rows;
}
__device__ int place_of(Key key) {
    return static_cast<int>(key & 0xffffU);
}

struct Found {  // shared by the block
    Key in_order[capacity];
    Key by_row[capacity + mixed];
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

__device__ int own_lane() {
    return static_cast<int>(threadIdx.x) % warp_size;
}
__device__ int own_warp() {
    return static_cast<int>(threadIdx.x) / warp_size;
}

/// Where in a tile the tokens lie that a thread reads in a step.
__device__ int place(int step, int steps) {
    return (own_warp() * steps + step) * tokens_per_step + own_lane() * tokens_per_load;
}

/// Bit j: token j of those that are read at once is of the group.
__device__ unsigned bits_of_load(const Tokens& tokens, const Load& load) {
    unsigned bits = 0;
#pragma unroll
    for (int j = 0; j < tokens_per_load; ++j) {
        if (tokens.is_own(load.element[j])) bits |= 1U << j;
    }
    return bits;
}

/// The same of those from `at` on, of which there may be fewer.
__device__ unsigned bits_one_by_one(const Tokens& tokens, std::int64_t at) {
    unsigned bits = 0;
#pragma unroll 1
    for (int j = 0; j < tokens_per_load && at + j < tokens.count; ++j) {
        if (tokens.is_own(tokens.data[at + j])) bits |= 1U << j;
    }
    return bits;
}

/// Those bits of all steps, of the first one in the lowest place.
__device__ std::uint64_t bits_of_tile(const Tokens& tokens, std::int64_t begin, int steps) {
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
__device__ int count_in_tile(std::uint64_t bits, Found& found) {
    __syncthreads();  // what was found before has been read
    const int own = over_warp(__popcll(bits));
    if (own_lane() == 0) found.of_warp[own_warp()] = own;
    if (threadIdx.x < most_rows) found.of_row[threadIdx.x] = 0;
    __syncthreads();
    int all = 0;
    for (int warp = 0; warp < warps; ++warp) all += found.of_warp[warp];
    return all;
}

__device__ void write_in_order(const Tokens& tokens, std::int64_t begin, int steps,
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

/// found.by_row = in_order, stably sorted by row, and zeros up to a multiple of `mixed`; each warp
/// takes rows in turn.
__device__ void sort_by_row(int count, Found& found) {
    if (threadIdx.x < mixed) found.by_row[count + threadIdx.x] = 0;
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

/// The rows of found.by_row that a thread adds in its column.
template <class R>
class Column {
  public:
    __device__ Column(const Found& found, int count, std::int64_t begin,
                      const Matrix<const R, Cuda>& d_out, const Matrix<float, Cuda>& d_table)
        : found_(found),
          count_(count),
          d_out_(d_out.row(begin) + column()),
          out_leading_(d_out.leading),
          d_table_(d_table.row(blockIdx.x) + column()),
          table_leading_(d_table.leading * groups) {}

    static __device__ std::int64_t column() {
        return static_cast<std::int64_t>(blockIdx.y) * threads + threadIdx.x;
    }

    __device__ void add() {
        for (int first = 0; first < count_;) {
            const bool is_run = first + run <= count_ && row(first) == row(first + run - 1);
            const Key* keys = found_.by_row + first;
            is_run ? add_run(keys) : add_mixed(keys);
            first += is_run ? run : mixed;
        }
    }

  private:
    __device__ int row(int i) const { return row_of(found_.by_row[i]); }
    __device__ R added(Key key) const { return d_out_[place_of(key) * out_leading_]; }
    __device__ float& sum_of(Key key) const { return d_table_[row_of(key) * table_leading_]; }

    /// Rows of one token, as a frequent one has them.
    __device__ void add_run(const Key* keys) {
        R values[run];
        if (keys[0] & is_first) sum_ = sum_of(keys[0]);
#pragma unroll
        for (int i = 0; i < run; ++i) values[i] = added(keys[i]);
#pragma unroll
        for (int i = 0; i < run; ++i) sum_ += widened(values[i]);
        if (keys[run - 1] & is_last) sum_of(keys[0]) = sum_;
    }

    /// What follows the last row is neither first nor last, and changes nothing that is kept.
    __device__ void add_mixed(const Key* keys) {
        R values[mixed];
        float sums[mixed];
#pragma unroll
        for (int i = 0; i < mixed; ++i) {
            values[i] = added(keys[i]);
            sums[i] = keys[i] & is_first ? sum_of(keys[i]) : 0.0F;
        }
#pragma unroll
        for (int i = 0; i < mixed; ++i) {
            // Read again, or else sixteen addresses would be kept until here, and not in registers.
            const Key key = *const_cast<const volatile Key*>(keys + i);
            if (key & is_first) sum_ = sums[i];
            sum_ += widened(values[i]);
            if (key & is_last) sum_of(key) = sum_;
        }
    }

    const Found& found_;
    int count_;
    const R* d_out_;
    std::int64_t out_leading_;
    float* d_table_;  ///< the row of the table that is the group's first one
    std::int64_t table_leading_;
    float sum_ = 0.0F;
};

template <class R>
__global__ void __launch_bounds__(threads, 3)
    add_to_tokens(Tokens tokens, Matrix<const R, Cuda> d_out, Matrix<float, Cuda> d_table) {
    SHARDSTONE_SHARED(Found, found);
    for (std::int64_t begin = 0; begin < tokens.count;) {
        // As long as all of its tokens are there, if any such tile is.
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
            if (Column<R>::column() < d_out.columns) {
                Column<R>(found, count, begin, d_out, d_table).add();
            }
        }
        begin += steps * warps * tokens_per_step;
    }
}

}  // namespace

template <class R>
void token_embedding_backward(CudaQueue queue, Cuda::Span<const std::uint16_t> tokens,
                              std::int64_t first_token, Matrix<const R, Cuda> d_out,
                              Matrix<compute_t<R>, Cuda> d_table) {
    if (d_out.rows == 0 || d_out.columns == 0 || d_table.rows == 0) return;
    const dim3 grid(static_cast<unsigned>(std::min<std::int64_t>(groups, d_table.rows)),
                    static_cast<unsigned>((d_out.columns + threads - 1) / threads));
    launch(add_to_tokens<R>, {grid, dim3(threads)}, queue.stream(),
           Tokens{tokens.data(), d_out.rows, static_cast<unsigned>(first_token),
                  static_cast<unsigned>(d_table.rows)},
           d_out, d_table);
}

template void token_embedding_backward(CudaQueue, Cuda::Span<const std::uint16_t>, std::int64_t,
                                       Matrix<const float, Cuda>, Matrix<float, Cuda>);
template void token_embedding_backward(CudaQueue, Cuda::Span<const std::uint16_t>, std::int64_t,
                                       Matrix<const bf16, Cuda>, Matrix<float, Cuda>);

}  // namespace shardstone
