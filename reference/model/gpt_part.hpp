// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "kernels/tensor/matrix.hpp"
#include "reference/model/parameter_layout.hpp"
#include "reference/model/parameter_views.hpp"
#include "reference/model/part_shape.hpp"
#include "reference/model/rows.hpp"
#include "reference/model/token.hpp"
#include "reference/model/unit_phases.hpp"
#include "reference/precision/fp8_scales.hpp"

namespace shardstone::reference {

/// A pass of a unit, and where it finds what it reads. Units of a chunk count in forward order,
/// from 0.
struct PassAt {
    Pass pass = Pass::forward;
    int chunk = 0;
    int unit = 0;
    int slot = 0;           ///< of the chunk's activations
    int gradient_slot = 0;  ///< of the stream's gradient, where the pass makes one of its input
    double gradient_scale = 1.0;  ///< of backward passes: the factor on losses
};

/// The part of a GPT that one rank holds (partition.hpp), without its parameters' memory, which
/// comes and goes in other hands. All of it, and that memory, is in one memory space
/// (kernels/tensor/host.hpp), and all work goes into one queue of it. N = the rank's positions of B
/// sequences, all B*T of them unless its part splits sequences; N' = its rows of the residual
/// stream (ModelPart::stream_rows). Real is float or double, what is computed in; the storage type
/// of weights and of what products read is PartShape::storage, that of the stream and its gradient
/// PartShape::stream.
///
/// Forward passes of a slot run from the first unit to the last and add to losses() the SUM over
/// the positions that count of the cross-entropy in nats from a head; with several tensor ranks
/// every rank has the whole sum. Backward passes run back and ADD gradient_scale * d(sum of
/// losses)/d(weights) to the gradients (a head begins with the scale, the others pass on what they
/// get); the gradient slot that a chunk's backward pass begins with holds the gradient of its
/// output (a head fills it itself), and in the end that of its input. The losses that experts add
/// (ExpertOptions) are part of what gradients are of. Pass::recompute makes what
/// PartShape::recompute leaves out of a unit's forward pass, in memory that the next recompute or
/// forward pass overwrites: right before the unit's backward pass, or before each half of it.
template <class Real, class Space = Host>
class GptPart {
  public:
    using Queue = typename Space::Queue;

    /// `memory`: one entry per group of the layout; the weights need not be there until used.
    /// `meanwhile`: see SplitStream.
    GptPart(const GptConfig& config, const ModelPart& part, const PartShape& shape,
            const std::vector<GroupMemory<Real>>& memory, std::function<void()> meanwhile = {},
            Queue queue = {});
    GptPart(GptPart&&) noexcept;
    ~GptPart();

    const ParameterLayout& layout() const noexcept;

    /// What an embedding or a head reads: N tokens and targets, copied into the slot; what the
    /// chunk does not read may be empty. Throws Error naming a token outside the vocabulary.
    void load(int chunk, int slot, std::span<const Token> tokens, std::span<const Target> targets);

    /// The phases of a pass of a chunk's unit.
    const std::vector<UnitPhase>& phases(int chunk, int unit, Pass pass) const;
    /// Runs some of them, of which only the last may have a transfer, one after the other; what it
    /// leaves for that is in Computed. The transfers that a phase needs are over.
    Computed compute(const PassAt& at, const PhaseRange& range);
    /// Runs all of them, of which none may have a transfer.
    void run(const PassAt& at);

    /// What forward passes have added and nobody has cleared since, in the memory space.
    LossSums* losses() noexcept;
    /// Reads and clears them.
    LossSums take_losses();

    /// The residual stream that enters and that leaves a chunk, (N', C): to be received into and
    /// sent from.
    Rows input(int chunk, int slot);
    Rows output(int chunk, int slot);
    /// Gradient of the residual stream, (N', C).
    Rows gradient(int gradient_slot);

    /// A copy of the (N, own vocabulary) logits of a head's last forward pass in this slot,
    /// row-major, for tests; only until its backward pass.
    std::vector<Real> logits(int slot) const;

    /// The scales of the FP8 products; nullptr without PartShape::fp8_products.
    Fp8Scales<Space>* fp8() noexcept;

    /// Allocated for activations, in bytes.
    std::int64_t activations_bytes() const noexcept;

  private:
    class Implementation;
    template <class S, class R>
    class Stored;
    std::unique_ptr<Implementation> implementation_;
};

extern template class GptPart<float>;
extern template class GptPart<double>;

}  // namespace shardstone::reference
