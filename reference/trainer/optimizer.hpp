// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/optimizer/gradient_norm.hpp"
#include "kernels/tensor/buffer.hpp"
#include "reference/trainer/options.hpp"
#include "reference/trainer/parameter_memory.hpp"

namespace shardstone::reference {

/// The optimizer of one rank: the squares of the gradients that this rank counts for the global
/// norm, clipping, the learning rate of the step, the update of what the rank owns, weight decay
/// for the tensors that have it. Owns the moments of what the rank owns. Local.
///
/// Every parameter of the model is counted by exactly one rank: by its owner among the replicas
/// (with or without ZeRO), the first of the tensor ranks that hold it in full, the first stage.
template <class Real>
class Optimizer {
  public:
    struct Report {
        double gradient_norm = 0.0;  ///< before clipping, over all parameters, each counted once
        double learning_rate = 0.0;
    };

    Optimizer(const TrainOptions& options, const ParameterLayout& layout,
              ParameterMemory<Real>& memory, const Coordinates& at);

    /// Of the gradients that this rank counts.
    SquareSum squares();
    /// Update number `step`, counted from 1; `squares` is the sum over all ranks. The gradients
    /// stay as they are.
    Report update(std::int64_t step, const SquareSum& squares);

    /// AdamW's moments of a range that the rank owns, within one bucket; empty for SGD.
    std::span<Real> first_moments(const Range& owned) { return part(first_moments_, owned); }
    std::span<Real> second_moments(const Range& owned) { return part(second_moments_, owned); }
    std::int64_t memory_bytes() const;

  private:
    /// A range within one tensor and one bucket.
    struct Piece {
        Range range;
        bool decay = false;
    };

    std::span<Real> part(Buffer<Real>& moments, const Range& owned) const;
    std::vector<Piece> pieces_of(const std::vector<Range>& ranges, bool counting) const;
    bool is_frozen(const ParameterInfo& tensor) const;
    void update_piece(const Piece& piece, std::int64_t step, const Report& report,
                      double clip_factor);

    TrainOptions options_;
    LearningRate rate_;
    ParameterLayout layout_;
    ParameterMemory<Real>& memory_;
    Coordinates at_;
    std::vector<Piece> counted_, updated_;
    Buffer<Real> first_moments_, second_moments_;  ///< compact by memory_.owned(); AdamW only
};

extern template class Optimizer<float>;
extern template class Optimizer<double>;

}  // namespace shardstone::reference
