// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>

#include "kernels/tensor/matrix.hpp"

namespace shardstone {

/// out (B*T, C): row b*T + t = token_table[tokens[b*T + t]] + position_table[t].
/// tokens (B, T), each below the rows of token_table (V, C); T = `sequence` <= the rows of
/// position_table.
template <class Real>
void embedding_forward(std::span<const std::uint16_t> tokens, std::int64_t sequence,
                       Matrix<const Real> token_table, Matrix<const Real> position_table,
                       Matrix<Real> out);

/// Adds d_out (B*T, C) to the rows of both tables' gradients, in token order.
template <class Real>
void embedding_backward(std::span<const std::uint16_t> tokens, std::int64_t sequence,
                        Matrix<const Real> d_out, Matrix<Real> d_token_table,
                        Matrix<Real> d_position_table);

}  // namespace shardstone
