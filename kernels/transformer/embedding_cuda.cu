// SPDX-License-Identifier: BSD-3-Clause
// Token and position embedding on the GPU, and the gradient of the positions' table.
#include <algorithm>

#include "kernels/base/device/block_sums.hpp"
#include "kernels/base/device/elements.hpp"
#include "kernels/transformer/embedding.hpp"

namespace shardstone {

namespace {

using namespace device;

constexpr int rows_per_block = 8;  ///< a warp to each

inline Launch warp_per_row(std::int64_t rows, std::int64_t slices = 1) {
    return {dim3(static_cast<unsigned>((rows + rows_per_block - 1) / rows_per_block),
                 static_cast<unsigned>(slices)),
            dim3(32, rows_per_block)};
}

/// The row of this warp, perhaps beyond the last one.
__device__ std::int64_t own_row() {
    return static_cast<std::int64_t>(blockIdx.x) * rows_per_block + threadIdx.y;
}

/// Elements of S and R that are read or written at once, 16 B of the wider type.
template <class S, class R>
constexpr int pack_of = std::min(pack_size<S>, pack_size<R>);

template <int width, class T>
bool are_packs(Matrix<T, Cuda> matrix) {
    return matrix.columns % width == 0 &&
           are_aligned(width * sizeof(T), matrix.data,
                       static_cast<std::size_t>(matrix.leading) * sizeof(T));
}

template <class S, class R, int width>
__global__ void look_up(const std::uint16_t* tokens, std::int64_t first_token,
                        Matrix<const S, Cuda> table, Matrix<R, Cuda> out) {
    const std::int64_t r = own_row();
    if (r >= out.rows) return;
    const std::int64_t row = tokens[r] - first_token;
    const bool is_held = row >= 0 && row < table.rows;
    for (std::int64_t c = threadIdx.x * width; c < out.columns; c += warp_size * width) {
        Pack<S, width> from{};
        if (is_held) from = load_pack<S, width>(table.row(row) + c);
        if constexpr (std::is_same_v<S, R>) {
            store_pack(from, out.row(r) + c);
        } else {
            Pack<R, width> to;
#pragma unroll
            for (int j = 0; j < width; ++j) to.element[j] = widened(from.element[j]);
            store_pack(to, out.row(r) + c);
        }
    }
}

template <class S, class R, int width>
__global__ void add_positions(std::int64_t first_row, const std::int64_t* positions,
                              std::int64_t count, Matrix<const S, Cuda> table,
                              Matrix<R, Cuda> out) {
    const std::int64_t r = own_row();
    if (r >= out.rows) return;
    const S* from_row = table.row(positions[(first_row + r) % count]);
    for (std::int64_t c = threadIdx.x * width; c < out.columns; c += warp_size * width) {
        const auto from = load_pack<S, width>(from_row + c);
        auto to = load_pack<R, width>(out.row(r) + c);
#pragma unroll
        for (int j = 0; j < width; ++j) {
            to.element[j] = narrowed<R>(widened(to.element[j]) + widened(from.element[j]));
        }
        store_pack(to, out.row(r) + c);
    }
}

/// One warp per position t and columns that it reads at once, so that each sum has one thread: over
/// the rows of the position, in their order.
template <class R, int width>
__global__ void add_to_positions(std::int64_t first_row, const std::int64_t* positions,
                                 std::int64_t count, Matrix<const R, Cuda> d_out,
                                 Matrix<float, Cuda> d_table) {
    constexpr int loads_in_flight = 8;
    const std::int64_t t = own_row();
    const std::int64_t c =
        (static_cast<std::int64_t>(blockIdx.y) * warp_size + threadIdx.x) * width;
    if (t >= count || c >= d_out.columns) return;
    const std::int64_t first = (t - first_row % count + count) % count;
    if (first >= d_out.rows) return;
    float* const to = d_table.row(positions[t]) + c;
    auto sum = load_pack<float, width>(to);
    for (std::int64_t r = first; r < d_out.rows; r += loads_in_flight * count) {
        Pack<R, width> rows[loads_in_flight] = {};
#pragma unroll
        for (int i = 0; i < loads_in_flight; ++i) {
            const std::int64_t row = r + i * count;
            if (row < d_out.rows) rows[i] = load_pack<R, width>(d_out.row(row) + c);
        }
#pragma unroll
        for (int i = 0; i < loads_in_flight; ++i) {
            if (r + i * count >= d_out.rows) break;
#pragma unroll
            for (int j = 0; j < width; ++j) sum.element[j] += widened(rows[i].element[j]);
        }
    }
    store_pack(sum, to);
}

}  // namespace

template <class S, class R>
void token_embedding_forward(CudaQueue queue, Cuda::Span<const std::uint16_t> tokens,
                             std::int64_t first_token, Matrix<const S, Cuda> table,
                             Matrix<std::type_identity_t<R>, Cuda> out) {
    if (out.rows == 0) return;
    constexpr int width = pack_of<S, R>;
    const bool in_packs = are_packs<width>(table) && are_packs<width>(out);
    launch(in_packs ? look_up<S, R, width> : look_up<S, R, 1>, warp_per_row(out.rows),
           queue.stream(), tokens.data(), first_token, table, out);
}

template <class S, class R>
void position_embedding_forward(CudaQueue queue, std::int64_t first_row,
                                Cuda::Span<const std::int64_t> positions,
                                Matrix<const S, Cuda> table,
                                Matrix<std::type_identity_t<R>, Cuda> out) {
    if (out.rows == 0) return;
    constexpr int width = pack_of<S, R>;
    const bool in_packs = are_packs<width>(table) && are_packs<width>(out);
    launch(in_packs ? add_positions<S, R, width> : add_positions<S, R, 1>, warp_per_row(out.rows),
           queue.stream(), first_row, positions.data(), static_cast<std::int64_t>(positions.size()),
           table, out);
}

template <class R>
void position_embedding_backward(CudaQueue queue, std::int64_t first_row,
                                 Cuda::Span<const std::int64_t> positions,
                                 Matrix<const R, Cuda> d_out, Matrix<compute_t<R>, Cuda> d_table) {
    if (d_out.rows == 0 || d_out.columns == 0) return;
    constexpr int most = pack_size<float>;
    const int width = are_packs<most>(d_out) && are_packs<most>(d_table) ? most : 1;
    const auto count = static_cast<std::int64_t>(positions.size());
    const std::int64_t columns_of_warp = warp_size * width;
    launch(width == most ? add_to_positions<R, most> : add_to_positions<R, 1>,
           warp_per_row(count, (d_out.columns + columns_of_warp - 1) / columns_of_warp),
           queue.stream(), first_row, positions.data(), count, d_out, d_table);
}

#define SHARDSTONE_INSTANTIATE(S, R)                                                        \
    template void token_embedding_forward<S, R>(CudaQueue, Cuda::Span<const std::uint16_t>, \
                                                std::int64_t, Matrix<const S, Cuda>,        \
                                                Matrix<R, Cuda>);                           \
    template void position_embedding_forward<S, R>(CudaQueue, std::int64_t,                 \
                                                   Cuda::Span<const std::int64_t>,          \
                                                   Matrix<const S, Cuda>, Matrix<R, Cuda>);
SHARDSTONE_INSTANTIATE(float, float)
SHARDSTONE_INSTANTIATE(bf16, float)
SHARDSTONE_INSTANTIATE(fp16, float)
SHARDSTONE_INSTANTIATE(bf16, bf16)
#undef SHARDSTONE_INSTANTIATE

template void position_embedding_backward(CudaQueue, std::int64_t, Cuda::Span<const std::int64_t>,
                                          Matrix<const float, Cuda>, Matrix<float, Cuda>);
template void position_embedding_backward(CudaQueue, std::int64_t, Cuda::Span<const std::int64_t>,
                                          Matrix<const bf16, Cuda>, Matrix<float, Cuda>);

}  // namespace shardstone
