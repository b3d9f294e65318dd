// SPDX-License-Identifier: BSD-3-Clause
#include "kernels/transformer/embedding.hpp"

#include <algorithm>

#include "kernels/base/convert.hpp"
#include "kernels/tensor/for_each.hpp"

namespace shardstone {

namespace {

template <class S>
void add_row(const S* from, std::int64_t columns, compute_t<S>* to) {
#pragma omp simd
    for (std::int64_t c = 0; c < columns; ++c) to[c] += static_cast<compute_t<S>>(from[c]);
}

bool holds(std::int64_t rows, std::int64_t row) {
    return row >= 0 && row < rows;
}

}  // namespace

template <class S>
void token_embedding_forward(std::span<const std::uint16_t> tokens, std::int64_t first_token,
                             Matrix<const S> table, Matrix<compute_t<S>> out) {
    for_each_row(out.rows, [=](std::int64_t r) {
        const std::int64_t row = tokens[static_cast<std::size_t>(r)] - first_token;
        if (holds(table.rows, row)) {
            widen(table.row(row), out.row(r), out.columns);
        } else {
            std::fill_n(out.row(r), out.columns, compute_t<S>(0));
        }
    });
}

template <class Real>
void token_embedding_backward(std::span<const std::uint16_t> tokens, std::int64_t first_token,
                              Matrix<const Real> d_out, Matrix<Real> d_table) {
    // One after the other: two rows may name the same token.
    for (std::int64_t r = 0; r < d_out.rows; ++r) {
        const std::int64_t row = tokens[static_cast<std::size_t>(r)] - first_token;
        if (holds(d_table.rows, row)) add_row(d_out.row(r), d_out.columns, d_table.row(row));
    }
}

template <class S>
void position_embedding_forward(std::int64_t first_row, std::int64_t sequence,
                                Matrix<const S> table, Matrix<compute_t<S>> out) {
    for_each_row(out.rows, [=](std::int64_t r) {
        add_row(table.row((first_row + r) % sequence), out.columns, out.row(r));
    });
}

template <class Real>
void position_embedding_backward(std::int64_t first_row, std::int64_t sequence,
                                 Matrix<const Real> d_out, Matrix<Real> d_table) {
    for (std::int64_t r = 0; r < d_out.rows; ++r) {
        add_row(d_out.row(r), d_out.columns, d_table.row((first_row + r) % sequence));
    }
}

#define SHARDSTONE_INSTANTIATE(S)                                                         \
    template void token_embedding_forward(std::span<const std::uint16_t>, std::int64_t,   \
                                          Matrix<const S>, Matrix<compute_t<S>>);         \
    template void position_embedding_forward(std::int64_t, std::int64_t, Matrix<const S>, \
                                             Matrix<compute_t<S>>);
SHARDSTONE_INSTANTIATE(float)
SHARDSTONE_INSTANTIATE(double)
SHARDSTONE_INSTANTIATE(bf16)
SHARDSTONE_INSTANTIATE(fp16)
#undef SHARDSTONE_INSTANTIATE

#define SHARDSTONE_INSTANTIATE(Real)                                                          \
    template void token_embedding_backward(std::span<const std::uint16_t>, std::int64_t,      \
                                           Matrix<const Real>, Matrix<Real>);                 \
    template void position_embedding_backward(std::int64_t, std::int64_t, Matrix<const Real>, \
                                              Matrix<Real>);
SHARDSTONE_INSTANTIATE(float)
SHARDSTONE_INSTANTIATE(double)
#undef SHARDSTONE_INSTANTIATE

}  // namespace shardstone
