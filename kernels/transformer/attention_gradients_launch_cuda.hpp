// SPDX-License-Identifier: BSD-3-Clause
// Which kernels run attention's backward pass, and in how many blocks.
#pragma once

#include <cmath>
#include <numbers>
#include <string>

#include "kernels/base/error.hpp"
#include "kernels/transformer/attention_gradients_general_cuda.hpp"
#include "kernels/transformer/attention_gradients_tiled_cuda.hpp"

namespace shardstone::device {

template <class S, bool adds>
AttentionPass<S, adds> with_scales(AttentionPass<S, adds> pass) {
    const double scale = 1.0 / std::sqrt(static_cast<double>(pass.shape.head_size));
    pass.scale = static_cast<float>(scale);
    pass.exponent_scale = static_cast<float>(scale * std::numbers::log2e);
    return pass;
}

/// `kernel` with a block for each `rows_of_block` of a head's `rows`.
template <class S, bool adds>
void launch_pass(void (*kernel)(AttentionPass<S, adds>, std::int64_t), cudaStream_t stream,
                 const AttentionPass<S, adds>& pass, std::int64_t rows, int rows_of_block,
                 int threads, std::size_t shared_bytes) {
    const std::int64_t tiles = (rows + rows_of_block - 1) / rows_of_block;
    const std::int64_t blocks = tiles * pass.shape.batch * pass.shape.heads;
    launch(
        kernel,
        {dim3(static_cast<unsigned>(blocks)), dim3(static_cast<unsigned>(threads)), shared_bytes},
        stream, pass, tiles);
}

template <int columns, class S, bool adds>
void run_tiled(cudaStream_t stream, const AttentionPass<S, adds>& pass) {
    constexpr int rows = block_rows<columns>;
    constexpr std::size_t bytes = pass_shared_bytes<columns>;
    launch_pass(queries_pass<S, adds, columns>, stream, pass, pass.shape.queries, rows,
                pass_threads, bytes);
    launch_pass(keys_pass<S, adds, columns>, stream, pass, pass.shape.keys, rows, pass_threads,
                bytes);
}

template <class Tiles, class S, bool adds>
void run_general(cudaStream_t stream, const AttentionPass<S, adds>& pass) {
    launch_pass(queries_pass_general<Tiles, S, adds>, stream, pass, pass.shape.queries, Tiles::tile,
                Tiles::threads, Tiles::shared_bytes);
    launch_pass(keys_pass_general<Tiles, S, adds>, stream, pass, pass.shape.keys, Tiles::tile,
                Tiles::threads, Tiles::shared_bytes);
}

template <class T>
bool is_aligned(const PieceRows<T>& piece) {
    return are_aligned(16, piece.data, static_cast<std::size_t>(piece.leading) * sizeof(T)) &&
           piece.per_sequence * static_cast<std::int64_t>(sizeof(T)) % 16 == 0;
}

/// Whether the matrix unit's kernels can read and write all rows.
template <class S, bool adds>
bool is_tiled(const AttentionPass<S, adds>& pass) {
    return is_narrow<S> && pass.shape.head_size % 8 == 0 && pass.shape.head_size <= 128 &&
           is_aligned(pass.q) && is_aligned(pass.k) && is_aligned(pass.v) &&
           is_aligned(pass.d_out) && is_aligned(pass.d_q) && is_aligned(pass.d_k) &&
           is_aligned(pass.d_v);
}

inline void require_kernels(std::int64_t head_size) {
    require(head_size <= 256, [&] {
        return "attention on the GPU: heads of " + std::to_string(head_size) +
               " channels; 256 is the most that there are kernels for";
    });
}

template <class S, bool adds>
void run_attention_pass(cudaStream_t stream, const AttentionPass<S, adds>& without_scales) {
    const auto pass = with_scales(without_scales);
    const auto& [batch, heads, size, queries, keys, causal] = pass.shape;
    if (batch * heads == 0 || queries == 0 || keys == 0) return;
    if constexpr (is_narrow<S>) {
        if (is_tiled(pass)) {
            return size <= 16   ? run_tiled<16>(stream, pass)
                   : size <= 32 ? run_tiled<32>(stream, pass)
                   : size <= 64 ? run_tiled<64>(stream, pass)
                                : run_tiled<128>(stream, pass);
        }
    }
    return size <= 64    ? run_general<GeneralTiles<4, 4>>(stream, pass)
           : size <= 128 ? run_general<GeneralTiles<4, 8>>(stream, pass)
                         : run_general<GeneralTiles<2, 16>>(stream, pass);
}

}  // namespace shardstone::device
