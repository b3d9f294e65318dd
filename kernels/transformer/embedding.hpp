// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <type_traits>

#include "kernels/base/element_type.hpp"
#include "kernels/tensor/cuda.hpp"
#include "kernels/tensor/host.hpp"
#include "kernels/tensor/matrix.hpp"

namespace shardstone {

// Tables are in S; outputs and their gradients in R, which is Real = compute_t<S> or S; gradients
// of tables are in Real.

/// `table` holds the rows of the tokens [first_token, first_token + table.rows), all or a shard of
/// the vocabulary. out (N, C): row r = the row of tokens[r], or zeros if another shard holds it, so
/// that the sum of the outputs of all shards is exactly that of the whole table.
template <class S, class R = compute_t<S>>
void token_embedding_forward(HostQueue queue, std::span<const std::uint16_t> tokens,
                             std::int64_t first_token, Matrix<const S> table,
                             Matrix<std::type_identity_t<R>> out);
template <class S, class R = compute_t<S>>
void token_embedding_forward(CudaQueue queue, Cuda::Span<const std::uint16_t> tokens,
                             std::int64_t first_token, Matrix<const S, Cuda> table,
                             Matrix<std::type_identity_t<R>, Cuda> out);

/// Adds d_out (N, C) to the rows of the table's gradient in token order; tokens of other shards add
/// nothing. Every row is bitwise the same as with a whole table.
template <class R>
void token_embedding_backward(HostQueue queue, std::span<const std::uint16_t> tokens,
                              std::int64_t first_token, Matrix<const R> d_out,
                              Matrix<compute_t<R>> d_table);
template <class R>
void token_embedding_backward(CudaQueue queue, Cuda::Span<const std::uint16_t> tokens,
                              std::int64_t first_token, Matrix<const R, Cuda> d_out,
                              Matrix<compute_t<R>, Cuda> d_table);

/// out holds the rows [first_row, first_row + out.rows) of a (B*T, C) matrix, T the number of
/// `positions`, each a row of `table`: row b*T + t += table row positions[t].
template <class S, class R = compute_t<S>>
void position_embedding_forward(HostQueue queue, std::int64_t first_row,
                                std::span<const std::int64_t> positions, Matrix<const S> table,
                                Matrix<std::type_identity_t<R>> out);
template <class S, class R = compute_t<S>>
void position_embedding_forward(CudaQueue queue, std::int64_t first_row,
                                Cuda::Span<const std::int64_t> positions,
                                Matrix<const S, Cuda> table,
                                Matrix<std::type_identity_t<R>, Cuda> out);

/// Adds the same rows of the gradient to that of the table, in row order. No two positions are
/// equal.
template <class R>
void position_embedding_backward(HostQueue queue, std::int64_t first_row,
                                 std::span<const std::int64_t> positions, Matrix<const R> d_out,
                                 Matrix<compute_t<R>> d_table);
template <class R>
void position_embedding_backward(CudaQueue queue, std::int64_t first_row,
                                 Cuda::Span<const std::int64_t> positions,
                                 Matrix<const R, Cuda> d_out, Matrix<compute_t<R>, Cuda> d_table);

}  // namespace shardstone
