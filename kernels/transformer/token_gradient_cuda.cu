// SPDX-License-Identifier: BSD-3-Clause
// The gradient of the tokens' table on the GPU: rows of the same token are added in their order,
// without anything being sorted in memory.
#include <algorithm>

#include "kernels/transformer/embedding.hpp"
#include "kernels/transformer/token_groups_cuda.hpp"

namespace shardstone {

namespace {

using namespace device;
using namespace device::token_groups;

// A block has a group of the table's rows and a slice of the columns. It adds the rows of the
// gradient one after the other, each thread in a column of its own.

// Rows whose loads are under way at a time, of several tokens or of one.
constexpr int mixed = padding, run = 32;

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
        const Tile tile = find_in_tile(tokens, begin, found);
        if (tile.found > 0 && Column<R>::column() < d_out.columns) {
            Column<R>(found, tile.found, begin, d_out, d_table).add();
        }
        begin += tile.tokens;
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
