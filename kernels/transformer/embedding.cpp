// SPDX-License-Identifier: BSD-3-Clause
// Token and position embedding, forward and backward, with the table whole or split by token.
#include "kernels/transformer/embedding.hpp"

#include <algorithm>

#include "kernels/base/convert.hpp"
#include "kernels/tensor/for_each.hpp"

namespace shardstone {

namespace {

template <class S, class R>
void add_row(const S* from, std::int64_t columns, R* to) {
    using Real = compute_t<S>;
#pragma omp simd
    for (std::int64_t c = 0; c < columns; ++c) {
        store(static_cast<Real>(to[c]) + static_cast<Real>(from[c]), to[c]);
    }
}

bool holds(std::int64_t rows, std::int64_t row) {
    return row >= 0 && row < rows;
}

std::int64_t position_of(std::int64_t row, std::span<const std::int64_t> positions) {
    return positions[static_cast<std::size_t>(row) % positions.size()];
}

}  // namespace

template <class S, class R>
void token_embedding_forward(HostQueue queue, std::span<const std::uint16_t> tokens,
                             std::int64_t first_token, Matrix<const S> table,
                             Matrix<std::type_identity_t<R>> out) {
    for_each_row(queue, out.rows, [=](std::int64_t r) {
        const std::int64_t row = tokens[static_cast<std::size_t>(r)] - first_token;
        if (!holds(table.rows, row)) {
            std::fill_n(out.row(r), out.columns, R{});
        } else if constexpr (std::is_same_v<S, R>) {
            std::copy_n(table.row(row), out.columns, out.row(r));
        } else {
            widen(table.row(row), out.row(r), out.columns);
        }
    });
}

template <class R>
void token_embedding_backward(HostQueue, std::span<const std::uint16_t> tokens,
                              std::int64_t first_token, Matrix<const R> d_out,
                              Matrix<compute_t<R>> d_table) {
    // One after the other: two rows may name the same token.
    for (std::int64_t r = 0; r < d_out.rows; ++r) {
        const std::int64_t row = tokens[static_cast<std::size_t>(r)] - first_token;
        if (holds(d_table.rows, row)) add_row(d_out.row(r), d_out.columns, d_table.row(row));
    }
}

template <class S, class R>
void position_embedding_forward(HostQueue queue, std::int64_t first_row,
                                std::span<const std::int64_t> positions, Matrix<const S> table,
                                Matrix<std::type_identity_t<R>> out) {
    for_each_row(queue, out.rows, [=](std::int64_t r) {
        add_row(table.row(position_of(first_row + r, positions)), out.columns, out.row(r));
    });
}

template <class R>
void position_embedding_backward(HostQueue, std::int64_t first_row,
                                 std::span<const std::int64_t> positions, Matrix<const R> d_out,
                                 Matrix<compute_t<R>> d_table) {
    for (std::int64_t r = 0; r < d_out.rows; ++r) {
        add_row(d_out.row(r), d_out.columns, d_table.row(position_of(first_row + r, positions)));
    }
}

#define SHARDSTONE_INSTANTIATE(S, R)                                                       \
    template void token_embedding_forward<S, R>(HostQueue, std::span<const std::uint16_t>, \
                                                std::int64_t, Matrix<const S>, Matrix<R>); \
    template void position_embedding_forward<S, R>(                                        \
        HostQueue, std::int64_t, std::span<const std::int64_t>, Matrix<const S>, Matrix<R>);
SHARDSTONE_INSTANTIATE(float, float)
SHARDSTONE_INSTANTIATE(double, double)
SHARDSTONE_INSTANTIATE(bf16, float)
SHARDSTONE_INSTANTIATE(fp16, float)
SHARDSTONE_INSTANTIATE(bf16, bf16)
#undef SHARDSTONE_INSTANTIATE

#define SHARDSTONE_INSTANTIATE(R)                                                                \
    template void token_embedding_backward(HostQueue, std::span<const std::uint16_t>,            \
                                           std::int64_t, Matrix<const R>, Matrix<compute_t<R>>); \
    template void position_embedding_backward(HostQueue, std::int64_t,                           \
                                              std::span<const std::int64_t>, Matrix<const R>,    \
                                              Matrix<compute_t<R>>);
SHARDSTONE_INSTANTIATE(float)
SHARDSTONE_INSTANTIATE(double)
SHARDSTONE_INSTANTIATE(bf16)
#undef SHARDSTONE_INSTANTIATE

}  // namespace shardstone
