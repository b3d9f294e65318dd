// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "reference/model/activations.hpp"
#include "reference/model/linear_layer.hpp"
#include "reference/model/split_stream.hpp"

namespace shardstone::reference {

/// Which half of a backward pass: all of it, or the gradients of inputs and of weights apart.
enum class BackwardHalf : std::uint8_t { both, input, weights };

/// The way out of the residual stream: wide = norm(x) W^T, of which each tensor rank computes its
/// own columns from all rows (column-parallel; Shoeybi et al. 2019, figure 3). Views only.
///
/// With sequence parallelism a rank keeps its own rows of the norm's output and collects the others
/// once more for the gradient of W (Korthikanti et al. 2023, section 4.2.2).
template <class S>
class NormedLinear {
    using Real = compute_t<S>;

  public:
    /// `stream` must outlive this.
    NormedLinear(const NormView<S>& norm, const LinearLayer<S>& linear, const SplitStream& stream)
        : norm_(norm), linear_(linear), stream_(&stream) {}

    const LinearLayer<S>& linear() const { return linear_; }

    /// x (N', C); fills `to` and returns the norm's output (N, C), which may lie in `room`.
    Matrix<S> normed(Matrix<Real> x, const NormActivations<S>& to, const Room<S>& room) const;

    /// Returns the gradient (N', C) of the norm's output, within `room` (N, C).
    Matrix<Real> backward_input(Matrix<S> d_wide, const Room<S>& room) const;
    /// Adds to the gradients of W, its bias and the norm's parameters.
    void backward_weights(Matrix<Real> x, const NormActivations<S>& kept, Matrix<S> d_wide,
                          Matrix<Real> d_normed, const Room<S>& room) const;
    /// Adds the gradient with respect to x to d_x (N', C).
    void backward_norm(Matrix<Real> x, const NormActivations<S>& kept, Matrix<Real> d_normed,
                       Matrix<Real> d_x) const;

  private:
    NormView<S> norm_;
    LinearLayer<S> linear_;
    const SplitStream* stream_;
};

extern template class NormedLinear<float>;
extern template class NormedLinear<double>;
extern template class NormedLinear<bf16>;
extern template class NormedLinear<fp16>;

}  // namespace shardstone::reference
