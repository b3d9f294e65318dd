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

/// A pass of a unit, and the slots of its inputs. Units of a chunk are numbered in forward order,
/// from 0.
struct PassAt {
    Pass pass = Pass::forward;
    int chunk = 0;
    int unit = 0;
    int slot = 0;           ///< of the chunk's activations
    int gradient_slot = 0;  ///< of the stream's gradient, if the pass computes that of its input
    double gradient_scale = 1.0;  ///< of backward passes: the factor on losses
};

/// Where a router sent the positions of a micro-batch; the sizes are those of ExpertActivations.
template <class Real, class Space = Host>
struct Routing {
    Matrix<Real, Space> probabilities;    ///< (N, E)
    Matrix<std::int32_t, Space> choices;  ///< (N, K), the likeliest first
    Matrix<Real, Space> picks;            ///< (B, E): how often each is chosen
};

/// The part of a GPT that one rank holds (partition.hpp), without its parameters' memory, which is
/// managed elsewhere. All of it, including that memory, is in one memory space
/// (kernels/tensor/host.hpp), and all work is enqueued in one queue of it. N = the rank's positions
/// of B sequences, all B*T of them unless the part splits sequences; N' = its rows of the residual
/// stream (ModelPart::stream_rows). Real is float or double, the type of computations; the storage
/// type of weights and inputs of products is PartShape::storage, that of the stream and its
/// gradient PartShape::stream.
///
/// Forward passes of a slot run from the first unit to the last and a head adds to losses() the SUM
/// of the cross-entropy in nats over the positions with a target; with several tensor ranks every
/// rank has the whole sum. Backward passes run in reverse order and ADD gradient_scale * d(sum of
/// losses)/d(weights) to the gradients (a head starts with the scale, the others pass on their
/// gradient); the gradient slot of a chunk's backward pass initially holds the gradient of its
/// output (a head fills it itself), and finally that of its input. Gradients include the losses
/// added by experts (ExpertOptions). Pass::recompute computes the activations that
/// PartShape::recompute omits from a unit's forward pass, in memory that the next recompute or
/// forward pass overwrites: directly before the unit's backward pass, or before each half of it.
template <class Real, class Space = Host>
class GptPart {
  public:
    using Queue = typename Space::Queue;

    /// `memory`: one entry per group of the layout; the weights need not be available until used.
    /// `meanwhile`: see SplitStream.
    GptPart(Queue queue, const GptConfig& config, const ModelPart& part, const PartShape& shape,
            const std::vector<GroupMemory<Real>>& memory, std::function<void()> meanwhile = {});
    GptPart(GptPart&&) noexcept;
    ~GptPart();

    const ParameterLayout& layout() const noexcept;

    /// Copies the inputs of an embedding or a head, N tokens and targets, into the slot; spans that
    /// the chunk does not read may be empty. Throws Error naming a token outside the vocabulary.
    void load(int chunk, int slot, std::span<const Token> tokens, std::span<const Target> targets);

    /// The phases of a pass of a chunk's unit.
    const std::vector<UnitPhase>& phases(int chunk, int unit, Pass pass) const;
    /// Runs a range of them one after the other; only the last may have a transfer, whose data is
    /// in Computed. The transfers that a phase needs must be complete.
    Computed compute(const PassAt& at, const PhaseRange& range);
    /// Runs all of them; none may have a transfer.
    void run(const PassAt& at);

    /// The sums added by forward passes since they were last cleared, in the memory space.
    LossSums* losses() noexcept;
    /// Reads and clears them.
    LossSums take_losses();

    /// The residual stream entering and leaving a chunk, (N', C): the buffers to receive into and
    /// send from.
    Rows input(int chunk, int slot);
    Rows output(int chunk, int slot);
    /// Gradient of the residual stream, (N', C).
    Rows gradient(int gradient_slot);

    /// A copy of the (N, own vocabulary) logits of a head's last forward pass in this slot,
    /// row-major, for tests; only until its backward pass.
    std::vector<Real> logits(int slot) const;

    /// Of a block with experts, counted from the chunk's first, for checks: a view of what the last
    /// Computation::route has left in this slot. Directly after it, choices and picks may be
    /// changed, in a part that shares experts with no other rank.
    Routing<Real, Space> routing(int chunk, int block, int slot);

    /// The scales of the FP8 products; nullptr without PartShape::fp8_products.
    Fp8Scales<Space>* fp8() noexcept;

    /// Memory allocated for activations, in bytes.
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
