// SPDX-License-Identifier: BSD-3-Clause
// What a pass of a unit is made of, as data: the computations of a rank, and the collectives of its
// groups between them. The model executes the list; whatever else has to know what a unit computes
// and sends (checks, prices, timelines, volumes) reads it.
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

/// A pass through a unit. The backward pass is whole, or in two halves, of which the first makes
/// the gradient of the unit's input and the second those of its weights.
enum class Pass : std::uint8_t { forward, recompute, backward, backward_input, backward_weight };

constexpr bool makes_input_gradient(Pass pass) {
    return pass == Pass::backward || pass == Pass::backward_input;
}
constexpr bool makes_weight_gradients(Pass pass) {
    return pass == Pass::backward || pass == Pass::backward_weight;
}

/// A collective of one of the rank's groups on a matrix of which rows are shared out; in place but
/// for a shift, by which every rank gets what the one before it in the ring has left, and an
/// all-to-all, by which it gets from each, itself too, what that one has left for it.
struct PhaseTransfer {
    enum class CollectiveKind : std::uint8_t {
        sum,
        maximum,
        reduce_scatter,
        all_gather,
        shift,
        all_to_all,
        /// How many of the rows go to whom is known only when it begins (Computed); they are
        /// counted and priced as if they were evenly many.
        all_to_all_v,
    };
    /// Rows of the residual stream or its gradient, and what is added up to become such; what
    /// products read, in the storage type; what is added up apart from the stream, in Real.
    enum class Of : std::uint8_t { stream, stored, real };

    CollectiveKind operation = CollectiveKind::sum;
    std::int64_t rows = 0;
    std::int64_t columns = 1;
    Of of = Of::stream;
    /// Of the mesh (step/mesh.hpp), along which the group extends. Tensor ranks share every layer
    /// (Shoeybi et al. 2019, Megatron-LM; Korthikanti et al. 2023 for sequence parallelism).
    std::string_view axis = "tensor";

    std::int64_t count() const { return rows * columns; }
    auto operator<=>(const PhaseTransfer&) const = default;
};

/// A step of attention (attention.hpp) in a pass.
struct AttentionStep {
    double pairs = 0.0;  ///< of query and key that it is about, of each sequence and head
    int needs = 0;  ///< how many transfers of the attention, from its first in the pass, are over
    std::optional<PhaseTransfer> transfer = {};  ///< of what the step leaves
};

/// What attention does between the two products of its branch, the same in all blocks.
struct AttentionSteps {
    std::vector<AttentionStep> forward{1};
    std::vector<AttentionStep> backward{1};  ///< the gradient of its input
};

/// What a rank computes in one go, without any other rank. A branch of a block is out = x +
/// W2 middle(W1 norm(x)), middle attention or GELU, or that of each of a block's experts
/// (experts/expert_branch.hpp); the head is one that ends with W1 norm(x).
enum class Computation : std::uint8_t {
    embedding_lookup,         ///< rows of the own tokens; zeros for the others'
    embedding_positions,      ///< added to the sum
    embedding_gradient_rows,  ///< puts the gradient of the own rows in place among all
    embedding_weights,        ///< gradients of both tables
    norm,                     ///< of the own rows, in place among all
    column_product,           ///< W1; of the head the logits
    middle,                   ///< a step of it
    row_product,              ///< W2: a partial sum
    residual,                 ///< adds bias and x
    loss,                     ///< of logits that are all there
    logits_maximum,           ///< of the own tokens
    logits_sums,              ///< of exponentials, with the logits of own targets
    loss_of_sums,
    gradient_rows,      ///< puts the gradient of the own rows in place among all
    row_gradient,       ///< of what W2 reads
    middle_gradient,    ///< a step of it: of what the middle reads
    input_gradient,     ///< of norm(x): a partial sum
    loss_gradient,      ///< of the logits
    row_weights,        ///< gradients of W2 and its bias
    norm_rows,          ///< puts norm(x) of the own rows in place among all
    column_weights,     ///< gradients of W1 and its bias
    norm_weights,       ///< gradients of the norm's parameters
    norm_gradient,      ///< of x, added to the stream's
    route,              ///< picks each position's experts, and counts who is picked
    row_counts,         ///< of rows for each expert
    dispatch,           ///< puts positions where they travel to their experts
    combine,            ///< what the experts return: a partial sum
    combine_gradient,   ///< of what each expert has returned
    gate_gradient,      ///< of the factors in the sum: partial
    dispatch_gradient,  ///< of norm(x), from what the experts return: a partial sum
    router_gradient,    ///< of its logits, and from there of norm(x)
    router_weights,
};

struct UnitPhase {
    enum class Branch : std::uint8_t { attention, mlp };

    Computation computation = Computation::norm;
    Branch branch = Branch::attention;  ///< of a block
    int needs = 0;  ///< how many transfers of the pass, from the first, have to be over before it
    std::optional<PhaseTransfer> transfer;  ///< of what the computation leaves, right after it
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

/// What the phases of a rank's units depend on.
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

/// The phases cut into what a rank can run in one go: up to a transfer, or up to a phase that has
/// to wait for one.
std::vector<PhaseRange> segments_of(const std::vector<UnitPhase>& phases);

}  // namespace shardstone::reference
