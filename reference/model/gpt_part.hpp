// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "kernels/tensor/matrix.hpp"
#include "reference/model/parameter_layout.hpp"
#include "reference/model/parameter_views.hpp"
#include "reference/model/part_shape.hpp"
#include "reference/model/tensor_group.hpp"
#include "reference/model/token.hpp"
#include "reference/precision/fp8_scales.hpp"

namespace shardstone::reference {

/// The part of a GPT that one rank holds (partition.hpp), without its parameters' memory, which
/// comes and goes in other hands. N = B*T positions; N' = the rank's rows of the residual stream
/// (ModelPart::stream_rows). Real is float or double, what is computed in; the storage type of
/// weights and of what products read is PartShape::storage.
///
/// Passes name a chunk, a unit of it (in forward order, from 0), the slot of the chunk's
/// activations and the slot of the stream's gradient. Forward passes of a slot run from the first
/// unit to the last, backward passes back; the gradient slot that a chunk's backward pass begins
/// with holds the gradient of its output (a head fills it itself), and in the end that of its
/// input.
template <class Real>
class GptPart {
  public:
    /// `memory`: one entry per group of the layout; the weights need not be there until used. The
    /// tensor group must outlive this and have part.tensor_ranks ranks.
    GptPart(const GptConfig& config, const ModelPart& part, const PartShape& shape,
            const std::vector<GroupMemory<Real>>& memory, TensorGroup& tensor);
    GptPart(GptPart&&) noexcept;
    ~GptPart();

    const ParameterLayout& layout() const noexcept;

    /// What an embedding or a head reads: (B, T) tokens and targets, copied into the slot; what the
    /// chunk does not read may be empty. Throws Error naming a token outside the vocabulary.
    void load(int chunk, int slot, std::span<const Token> tokens, std::span<const Target> targets);

    /// Returns the SUM over the positions that count of the cross-entropy in nats from a head, else
    /// 0. With several tensor ranks every rank returns the whole sum.
    double forward(int chunk, int unit, int slot);
    /// What PartShape::recompute leaves out of a unit's forward pass, in memory that the next
    /// recompute or forward pass overwrites. Right before the unit's backward pass, or before each
    /// half of it.
    void recompute(int chunk, int unit, int slot);
    /// ADDS gradient_scale * d(sum of losses)/d(weights) to the gradients (a head begins with the
    /// scale, the others pass on what they get).
    void backward(int chunk, int unit, int slot, int gradient_slot, double gradient_scale);
    /// The two halves of it.
    void backward_input(int chunk, int unit, int slot, int gradient_slot, double gradient_scale);
    void backward_weight(int chunk, int unit, int slot);

    /// The residual stream that enters and that leaves a chunk, (N', C): to be received into and
    /// sent from.
    Matrix<Real> input(int chunk, int slot);
    Matrix<Real> output(int chunk, int slot);
    /// Gradient of the residual stream, (N', C).
    Matrix<Real> gradient(int gradient_slot);

    /// A copy of the (N, own vocabulary) logits of a head's last forward pass in this slot,
    /// row-major, for tests; only until its backward pass.
    std::vector<Real> logits(int slot) const;

    /// The scales of the FP8 products; nullptr without PartShape::fp8_products.
    Fp8Scales* fp8() noexcept;

    /// Allocated for activations, in bytes.
    std::int64_t activations_bytes() const noexcept;

  private:
    class Implementation;
    template <class S>
    class Stored;
    std::unique_ptr<Implementation> implementation_;
};

extern template class GptPart<float>;
extern template class GptPart<double>;

}  // namespace shardstone::reference
