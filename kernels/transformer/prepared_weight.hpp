// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kernels/tensor/buffer.hpp"
#include "kernels/transformer/narrow_rows.hpp"

namespace shardstone {

/// The weight of a linear layer as products read it, made once per step from the master weight and
/// used by forward and backward. Row-major like the master, since libraries' own packed layouts
/// gained oneDNN's products of GPT-2 124M's shapes 2 to 4 % only and there would have to be one for
/// each direction.
template <class S>
class PreparedWeight {
  public:
    /// Takes in the weight (O, I): rounded to S in memory of its own, sizeof(S) bytes an element.
    /// If S is no narrower, looks at `weight`, which must outlive this.
    void prepare(Matrix<const compute_t<S>> weight) {
        if constexpr (is_narrow<S>) {
            if (rounded_.size() != weight.rows * weight.columns) {
                rounded_ = Buffer<S>(weight.rows * weight.columns);
            }
            const auto to = shardstone::matrix(rounded_.data(), weight.rows, weight.columns);
            narrow_rows<S>(weight, to);
            matrix_ = to;
        } else {
            matrix_ = weight;
        }
    }

    /// (O, I); what linear_forward and linear_backward_input take.
    Matrix<const S> matrix() const { return matrix_; }

  private:
    Buffer<S> rounded_;
    Matrix<const S> matrix_;
};

}  // namespace shardstone
