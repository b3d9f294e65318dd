// SPDX-License-Identifier: BSD-3-Clause
#include "kernels/transformer/embedding.hpp"

#include "kernels/tensor/for_each.hpp"

namespace shardstone {

namespace {

template <class Real>
void add_row(const Real* from, std::int64_t columns, Real* to) {
#pragma omp simd
    for (std::int64_t c = 0; c < columns; ++c) to[c] += from[c];
}

}  // namespace

template <class Real>
void embedding_forward(std::span<const std::uint16_t> tokens, std::int64_t sequence,
                       Matrix<const Real> token_table, Matrix<const Real> position_table,
                       Matrix<Real> out) {
    for_each_row(out.rows, [=](std::int64_t r) {
        const Real* token = token_table.row(tokens[static_cast<std::size_t>(r)]);
        const Real* position = position_table.row(r % sequence);
        Real* to = out.row(r);
#pragma omp simd
        for (std::int64_t c = 0; c < out.columns; ++c) to[c] = token[c] + position[c];
    });
}

template <class Real>
void embedding_backward(std::span<const std::uint16_t> tokens, std::int64_t sequence,
                        Matrix<const Real> d_out, Matrix<Real> d_token_table,
                        Matrix<Real> d_position_table) {
    // One after the other: two rows may name the same token.
    for (std::int64_t r = 0; r < d_out.rows; ++r) {
        const auto token = tokens[static_cast<std::size_t>(r)];
        add_row(d_out.row(r), d_out.columns, d_token_table.row(token));
        add_row(d_out.row(r), d_out.columns, d_position_table.row(r % sequence));
    }
}

#define SHARDSTONE_INSTANTIATE(Real)                                                       \
    template void embedding_forward(std::span<const std::uint16_t>, std::int64_t,          \
                                    Matrix<const Real>, Matrix<const Real>, Matrix<Real>); \
    template void embedding_backward(std::span<const std::uint16_t>, std::int64_t,         \
                                     Matrix<const Real>, Matrix<Real>, Matrix<Real>);
SHARDSTONE_INSTANTIATE(float)
SHARDSTONE_INSTANTIATE(double)
#undef SHARDSTONE_INSTANTIATE

}  // namespace shardstone
