// SPDX-License-Identifier: BSD-3-Clause
// The choice between the kernels of forward attention, and their launch.
#pragma once

#include "kernels/tensor/cuda.hpp"
#include "kernels/transformer/attention_forward_plain_cuda.hpp"
#include "kernels/transformer/attention_forward_store_cuda.hpp"

namespace shardstone::device {

/// Whether the tensors can be read and written as the matrix unit's kernel does.
template <class S, bool merges>
bool fits_matrix_unit(const ForwardTask<S, merges>& task) {
    return fit_matrix_unit(task.in) && are_aligned(merges ? 8 : 16, task.out);
}

template <int size, class S, bool merges>
void launch_forward(CudaQueue queue, ForwardTask<S, merges> task) {
    const auto launch_tiles = [&](auto* kernel, int queries, int threads, std::size_t shared) {
        const auto& in = task.in;
        task.blocks =
            AttentionBlocks::of((in.queries - 1) / queries + 1, std::int64_t{in.batch} * in.heads,
                                in.keys, 2 * sizeof(S) * in.head_size);
        launch(kernel, {grid_of(task.blocks), dim3(static_cast<unsigned>(threads)), shared},
               queue.stream(), task);
    };
    if constexpr (is_narrow<S>) {
        if (fits_matrix_unit(task)) {
            launch_tiles(forward_by_matrix_unit<S, size, merges>, ForwardTile::queries,
                         ForwardTile::threads, ForwardTile::shared_bytes<size>);
            return;
        }
    }
    launch_tiles(forward_plainly<S, size, merges>, PlainTile::rows, PlainTile::threads,
                 PlainTile::shared_bytes<size>);
}

template <class S, bool merges>
void launch_forward(CudaQueue queue, const AttentionInputs<S>& in,
                    PieceRows<typename ForwardTask<S, merges>::Out> out,
                    PieceNumbers<float> log_sum_exp) {
    if (in.batch == 0 || in.heads == 0 || in.queries == 0 || in.keys == 0) return;
    const ForwardTask<S, merges> task{in,  in.scale_log2(), in.v.data - in.k.data,
                                      out, log_sum_exp,     {}};
    switch (padded_head_size(in.head_size)) {
        case 16:
            return launch_forward<16>(queue, task);
        case 32:
            return launch_forward<32>(queue, task);
        case 64:
            return launch_forward<64>(queue, task);
        default:
            return launch_forward<128>(queue, task);
    }
}

}  // namespace shardstone::device
