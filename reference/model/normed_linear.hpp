// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "reference/model/activations.hpp"
#include "reference/model/linear_layer.hpp"
#include "reference/model/split_stream.hpp"

namespace shardstone::reference {

/// The exit from the residual stream: wide = norm(x) W^T, of which each tensor rank computes its
/// own columns from all rows (column-parallel; Shoeybi et al. 2019, figure 3). Views only.
///
/// With sequence parallelism a rank keeps its own rows of the norm's output and gathers the others
/// again for the gradient of W (Korthikanti et al. 2023, section 4.2.2).
template <class S, class R = compute_t<S>, class Space = Host>
class NormedLinear {
  public:
    /// `stream` must outlive this.
    NormedLinear(const NormView<S, Space>& norm, const LinearLayer<S, Space>& linear,
                 const SplitStream<Space>& stream)
        : norm_(norm), linear_(linear), stream_(&stream) {}

    const LinearLayer<S, Space>& linear() const { return linear_; }

    // One computation each (unit_phases.hpp).

    /// x (N', C); fills `to` and returns the norm's output among all rows (N, C), which may lie in
    /// `buffer`.
    Matrix<S, Space> norm(Matrix<R, Space> x, const NormActivations<S, Space>& to,
                          const RowBuffer<S, R, Space>& buffer) const;
    /// The same for a kept output.
    Matrix<S, Space> norm_rows(const NormActivations<S, Space>& kept,
                               const RowBuffer<S, R, Space>& buffer) const {
        return stream_->place(kept.out, buffer.stored);
    }
    /// The norm's output once all rows have been gathered.
    Matrix<S, Space> normed(const NormActivations<S, Space>& kept,
                            const RowBuffer<S, R, Space>& buffer) const {
        return stream_->whole(kept.out, buffer.stored);
    }

    /// Returns this rank's part of the gradient (N, C) of the norm's output, which fills `buffer`.
    Matrix<R, Space> backward_input(Matrix<S, Space> d_wide,
                                    const RowBuffer<S, R, Space>& buffer) const;
    /// Adds to the gradients of W and its bias.
    void backward_weights(const NormActivations<S, Space>& kept, Matrix<S, Space> d_wide,
                          const RowBuffer<S, R, Space>& buffer) const;
    /// Adds to the gradients of the norm's parameters; d_normed (N', C).
    void backward_norm_weights(Matrix<R, Space> x, const NormActivations<S, Space>& kept,
                               Matrix<R, Space> d_normed) const;
    /// Adds the gradient with respect to x to d_x (N', C).
    void backward_norm(Matrix<R, Space> x, const NormActivations<S, Space>& kept,
                       Matrix<R, Space> d_normed, Matrix<R, Space> d_x) const;

  private:
    NormView<S, Space> norm_;
    LinearLayer<S, Space> linear_;
    const SplitStream<Space>* stream_;
};

extern template class NormedLinear<float>;
extern template class NormedLinear<double>;
extern template class NormedLinear<bf16>;
extern template class NormedLinear<fp16>;
extern template class NormedLinear<bf16, bf16>;

}  // namespace shardstone::reference
