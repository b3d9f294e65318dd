// SPDX-License-Identifier: BSD-3-Clause
// Which kernels run attention's backward pass, and in how many blocks.
#pragma once

#include "kernels/transformer/attention_gradients_keys_cuda.hpp"
#include "kernels/transformer/attention_gradients_plain_cuda.hpp"
#include "kernels/transformer/attention_gradients_queries_cuda.hpp"

namespace shardstone::device {

/// `kernel` with a block for each `rows_of_block` of a head's `rows`.
template <class S, bool adds>
void launch_pass(void (*kernel)(AttentionPass<S, adds>, AttentionBlocks), CudaQueue queue,
                 const AttentionPass<S, adds>& pass, int rows, int rows_of_block, int threads,
                 std::size_t shared_bytes) {
    const auto& in = pass.in;
    const auto blocks = AttentionBlocks::of((rows + rows_of_block - 1) / rows_of_block,
                                            std::int64_t{in.batch} * in.heads,
                                            2 * (std::int64_t{in.queries} + in.keys),
                                            static_cast<std::int64_t>(sizeof(S)) * in.head_size);
    launch(kernel, {grid_of(blocks), dim3(static_cast<unsigned>(threads)), shared_bytes},
           queue.stream(), pass, blocks);
}

/// Queries first: they make the dots, if these are not there, for the keys.
template <int size, class S, bool adds>
void run_on_matrix_unit(CudaQueue queue, const AttentionPass<S, adds>& pass) {
    using T = PassTile<size>;
    constexpr std::size_t bytes = PassShared<S, size>::bytes;
    launch_pass(attention_queries_pass<S, adds, size>, queue, pass, pass.in.queries, T::rows,
                T::threads, bytes);
    launch_pass(attention_keys_pass<S, adds, size>, queue, pass, pass.in.keys, T::rows, T::threads,
                bytes);
}

template <class Tiles, class S, bool adds>
void run_plain(CudaQueue queue, const AttentionPass<S, adds>& pass) {
    launch_pass(attention_queries_pass_plain<Tiles, S, adds>, queue, pass, pass.in.queries,
                Tiles::tile, Tiles::threads, Tiles::shared_bytes);
    launch_pass(attention_keys_pass_plain<Tiles, S, adds>, queue, pass, pass.in.keys, Tiles::tile,
                Tiles::threads, Tiles::shared_bytes);
}

/// Whether the matrix unit's kernels can read and write all rows.
template <class S, bool adds>
bool fits_matrix_unit(const AttentionPass<S, adds>& pass) {
    return fit_matrix_unit(pass.in) && (adds || are_aligned(16, pass.out)) &&
           are_aligned(16, pass.d_out) && are_aligned(16, pass.d_q) && are_aligned(16, pass.d_k) &&
           are_aligned(16, pass.d_v);
}

/// Throws Error, before anything is enqueued, if there are no kernels for heads of this size.
template <class S, bool adds>
void run_attention_pass(CudaQueue queue, const AttentionPass<S, adds>& pass) {
    const auto& in = pass.in;
    if (in.batch * in.heads == 0 || in.queries == 0 || in.keys == 0) return;
    const int size = padded_head_size(in.head_size);
    if constexpr (is_narrow<S>) {
        if (fits_matrix_unit(pass)) {
            return size == 16   ? run_on_matrix_unit<16>(queue, pass)
                   : size == 32 ? run_on_matrix_unit<32>(queue, pass)
                   : size == 64 ? run_on_matrix_unit<64>(queue, pass)
                                : run_on_matrix_unit<128>(queue, pass);
        }
    }
    return size <= 64 ? run_plain<PlainTiles<4, 4>>(queue, pass)
                      : run_plain<PlainTiles<4, 8>>(queue, pass);
}

}  // namespace shardstone::device
