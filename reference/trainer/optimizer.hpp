// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/optimizer/gradient_norm.hpp"
#include "kernels/optimizer/optimizer.hpp"
#include "kernels/tensor/buffer.hpp"
#include "reference/trainer/options.hpp"
#include "reference/trainer/parameter_memory.hpp"

namespace shardstone::reference {

/// The optimizer of one rank: the squares of the gradients that this rank counts for the global
/// norm, clipping, the learning rate of the step, the update of the rank's own parameters, and
/// weight decay for the tensors that have it. Holds the moments of the rank's own parameters, and
/// their master weights if the precision has them: these are updated, and rounded into the stored
/// weights. Local.
///
/// Every parameter of the model is counted by exactly one rank: by its owner among the replicas
/// (with or without ZeRO), the first of the tensor ranks that hold it in full, the first stage.
///
/// LAMB and LARS scale the update of each tensor by norms of the whole tensor, regardless of its
/// distribution. Normalisation parameters and biases, which do not decay either, are excluded
/// (lamb.hpp, lars.hpp), as are frozen tensors, which are not updated at all.
template <class Real, class Space = Host>
class Optimizer {
    using Queue = typename Space::Queue;
    template <class T>
    using Span = typename Space::template Span<T>;

  public:
    Optimizer(Queue queue, const TrainOptions& options, const ParameterLayout& layout,
              ParameterMemory<Real, Space>& memory, const Coordinates& at);

    /// Sets the initial weights of this rank's part of the model.
    void fill_weights();

    /// Adds the squares of the gradients that this rank counts to a sum in the memory space.
    void add_squares(SquareSum::Limbs& sum);
    /// Position of the first gradient whose square add_squares() cannot sum, among those that it
    /// counts, or empty: "blocks.0.mlp.expansion.weight[17] is inf".
    std::string first_not_finite();
    /// Starts update number `step`, counted from 1: norm and clipping follow from the sum of
    /// squares over all ranks. Both are in the memory space, where the factors are used until
    /// end_update(). The gradients are unchanged. A step whose norm is not finite changes neither
    /// weights nor moments if it `skips_overflow`.
    void begin_update(std::int64_t step, const SquareSum::Limbs& squares, bool skips_overflow,
                      UpdateFactors& factors);
    /// Of the update that began last.
    double learning_rate() const noexcept { return now_.learning_rate; }
    /// One per tensor of the whole model, for an optimizer that adapts: after begin_update() the
    /// squares of the weights and updates that this rank counts; to be replaced by the sums over
    /// all ranks before end_update().
    TensorSquares* tensor_squares() noexcept { return tensor_squares_.data(); }
    void end_update();

    /// The optimizer's moments of a range that the rank owns, within one bucket; empty for an
    /// optimizer without them.
    Span<Real> first_moments(const Range& owned) { return part(first_moments_, owned); }
    Span<Real> second_moments(const Range& owned) { return part(second_moments_, owned); }
    /// The weights that are updated, of such a range: the master weights, or the stored ones
    /// widened.
    std::vector<Real> weights(const Range& owned);
    /// Memory of the moments, and of the master weights.
    std::int64_t memory_bytes() const;
    std::int64_t master_bytes() const { return master_.size_bytes(); }

  private:
    /// A range within one tensor and one bucket.
    struct Piece {
        Range range;
        bool decay = false;
        std::size_t tensor = 0;  ///< index in the whole model
        std::size_t local = 0;   ///< index in the layout
    };

    Span<Real> part(Buffer<Real, Space>& moments, const Range& owned) const;
    std::vector<Piece> pieces_of(const std::vector<Range>& ranges, bool counting) const;
    /// With neighbours joined that are updated alike, so that a GPU has fewer kernels to start.
    std::vector<Piece> joined(const std::vector<Piece>& pieces) const;
    bool adapts(const Piece& piece) const { return piece.decay && tensor_squares_.size() > 0; }
    OptimizerStep step_of(const Piece& piece) const;
    enum class Use : std::uint8_t { reads, writes };
    /// Calls f(ParameterRange<Real, Space>) for the whole piece, at once or block by block, and
    /// stores the weights that it has written.
    template <class F>
    void visit(const Piece& piece, Use use, const F& f);
    ParameterRange<Real, Space> range_of(const Range& range, Span<Real> weights);
    template <class F>
    void draw_weights(const Range& all, const F& f) const;
    void store(const Piece& piece, const Range& range, Span<const Real> values);
    void store_stochastically(const Piece& piece, const Range& range, Span<const Real> values);

    Queue queue_;
    TrainOptions options_;
    LearningRate rate_;
    ParameterLayout layout_;
    ParameterMemory<Real, Space>& memory_;
    Coordinates at_;
    std::vector<Piece> counted_, updated_;
    std::vector<Range> squared_;  ///< what is counted, in as few pieces as there are
    Buffer<Real, Space> first_moments_,
        second_moments_;          ///< compact by memory_.owned(), only those in use
    Buffer<Real, Space> master_;  ///< likewise
    OptimizerStep now_;           ///< common to all tensors
    const UpdateFactors* factors_ = nullptr;
    Buffer<TensorSquares, Space> tensor_squares_;
    Buffer<double, Space> ratios_;  ///< by tensor of the whole model
    /// A block of weights during their update, if they are stored in another type and there are no
    /// master weights.
    Buffer<Real, Space> widened_;
};

extern template class Optimizer<float>;
extern template class Optimizer<double>;

}  // namespace shardstone::reference
