// SPDX-License-Identifier: BSD-3-Clause
// The steps of a pass of a unit, as data: the computations of a rank, and the collectives of its
// groups between them. The model executes the list; everything else that depends on the
// computations and transfers of a unit (checks, prices, timelines, volumes) reads it.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "reference/model/experts/expert_part.hpp"
#include "reference/model/partition.hpp"

namespace shardstone::reference {

/// A pass through a unit. The backward pass is either whole or in two halves, of which the first
/// computes the gradient of the unit's input and the second those of its weights.
enum class Pass : std::uint8_t { forward, recompute, backward, backward_input, backward_weight };

constexpr bool makes_input_gradient(Pass pass) {
    return pass == Pass::backward || pass == Pass::backward_input;
}
constexpr bool makes_weight_gradients(Pass pass) {
    return pass == Pass::backward || pass == Pass::backward_weight;
}

/// A collective of one of the rank's groups on a matrix distributed by rows; in place except for a
/// shift, in which every rank receives the data of its predecessor in the ring, and an all-to-all,
/// in which it receives from each rank, including itself, the data addressed to it.
struct PhaseTransfer {
    enum class CollectiveKind : std::uint8_t {
        sum,
        maximum,
        reduce_scatter,
        all_gather,
        shift,
        all_to_all,
        /// The number of rows for each rank is known only when it starts (Computed); they are
        /// counted and priced as if evenly distributed.
        all_to_all_v,
    };
    /// Rows of the residual stream or its gradient, including partial sums of these; inputs of
    /// products, in the storage type; sums apart from the stream, in Real.
    enum class Of : std::uint8_t { stream, stored, real };

    CollectiveKind operation = CollectiveKind::sum;
    std::int64_t rows = 0;
    std::int64_t columns = 1;
    Of of = Of::stream;
    /// The axis of the mesh (step/mesh.hpp) along which the group extends. Tensor ranks share every
    /// layer (Shoeybi et al. 2019, Megatron-LM; Korthikanti et al. 2023 for sequence parallelism).
    std::string_view axis = "tensor";

    std::int64_t count() const { return rows * columns; }
    auto operator<=>(const PhaseTransfer&) const = default;
};

/// A step of attention (attention.hpp) in a pass.
struct AttentionStep {
    double pairs = 0.0;  ///< of query and key processed, for each sequence and head
    int needs = 0;  ///< number of the attention's transfers, from its first in the pass, that must
                    ///< be complete
    std::optional<PhaseTransfer> transfer = {};  ///< of the step's result
};

/// The steps of attention between the two products of its branch, the same in all blocks.
struct AttentionSteps {
    std::vector<AttentionStep> forward{1};
    std::vector<AttentionStep> backward{1};  ///< the gradient of its input
};

/// A computation of a rank without any other rank. A branch of a block is out = x +
/// W2 middle(W1 norm(x)), middle attention or GELU, or that of each of a block's experts
/// (experts/expert_branch.hpp); the head is a branch that ends with W1 norm(x).
enum class Computation : std::uint8_t {
    embedding_lookup,         ///< rows of the own tokens; zeros for others
    embedding_positions,      ///< added to the sum
    embedding_gradient_rows,  ///< puts the gradient of the own rows in place among all
    embedding_weights,        ///< gradients of both tables
    norm,                     ///< of the own rows, in place among all
    column_product,           ///< W1; for the head the logits
    middle,                   ///< a step of it
    row_product,              ///< W2: a partial sum
    residual,                 ///< adds bias and x
    loss,                     ///< of complete logits
    logits_maximum,           ///< of the own tokens
    logits_sums,              ///< of exponentials, with the logits of own targets
    loss_of_sums,
    gradient_rows,      ///< puts the gradient of the own rows in place among all
    row_gradient,       ///< of the input of W2
    middle_gradient,    ///< a step of it: of the middle's input
    input_gradient,     ///< of norm(x): a partial sum
    loss_gradient,      ///< of the logits
    row_weights,        ///< gradients of W2 and its bias
    norm_rows,          ///< puts norm(x) of the own rows in place among all
    column_weights,     ///< gradients of W1 and its bias
    norm_weights,       ///< gradients of the norm's parameters
    norm_gradient,      ///< of x, added to the stream's
    route,              ///< picks each position's experts, and counts the picks
    row_counts,         ///< of rows for each expert
    dispatch,           ///< copies positions into the send buffer for their experts
    combine,            ///< of the experts' results: a partial sum
    combine_gradient,   ///< of each expert's result
    gate_gradient,      ///< of the factors in the sum: partial
    dispatch_gradient,  ///< of norm(x), from the gradients that the experts return: a partial sum
    router_gradient,    ///< of its logits, and through them of norm(x)
    router_weights,
};

struct UnitPhase {
    enum class Branch : std::uint8_t { attention, mlp };

    Computation computation = Computation::norm;
    Branch branch = Branch::attention;  ///< of a block
    int needs = 0;  ///< transfers of the pass, from the first, that must be complete before it
    std::optional<PhaseTransfer> transfer;  ///< of the computation's result, directly after it
    int step = 0;                           ///< of the middle
    double pairs = 0.0;                     ///< as AttentionStep::pairs
};

/// Consecutive phases of a pass.
struct PhaseRange {
    int first = 0;
    int count = 0;

    int end() const { return first + count; }
    auto operator<=>(const PhaseRange&) const = default;
};

/// Parameters of the phases of a rank's units.
struct PhaseShape {
    std::int64_t rows = 0;      ///< N positions of a micro-batch
    std::int64_t channels = 0;  ///< C
    int tensor_ranks = 1;
    bool splits_rows = false;  ///< sequence parallelism
    Recompute recompute = Recompute::none;
    AttentionSteps attention;
    ExpertPart experts = {};
};

/// The phases of a pass, in order. Without other ranks none has a transfer.
std::vector<UnitPhase> phases_of(const PhaseShape& shape, Unit::Kind unit, Pass pass);

/// The phases of all units of a rank.
class UnitPhases {
  public:
    explicit UnitPhases(const PhaseShape& shape);

    const std::vector<UnitPhase>& of(Unit::Kind unit, Pass pass) const {
        return phases_[static_cast<std::size_t>(unit)][static_cast<std::size_t>(pass)];
    }

  private:
    std::array<std::array<std::vector<UnitPhase>, 5>, 3> phases_;  ///< by kind of unit and pass
};

/// The phases divided into segments that a rank can run without interruption: up to a transfer, or
/// up to a phase that has to wait for one.
std::vector<PhaseRange> segments_of(const std::vector<UnitPhase>& phases);

}  // namespace shardstone::reference
