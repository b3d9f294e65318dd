// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "reference/step/mesh.hpp"
#include "reference/step/shared_list.hpp"
#include "reference/step/step_spec.hpp"

namespace shardstone::reference {

/// A range of elements [first, first + count).
struct Range {
    std::int64_t first = 0;
    std::int64_t count = 0;

    std::int64_t end() const { return first + count; }
    auto operator<=>(const Range&) const = default;
};

/// An in-place collective on a range of a rank's data; if ranks have shares, each has its
/// even_share of the range, in the order of the group. In a shift every rank receives the range of
/// the rank before it (the first that of the last), next to its own. In an all-to-all it receives
/// its even_share of the range of each rank, in the order of the group, next to its own.
struct GroupTransfer {
    enum class CollectiveKind : std::uint8_t {
        all_reduce,
        reduce_scatter,
        all_gather,
        shift,
        all_to_all,
        all_to_all_v,  ///< the amounts are known only when it begins
    };
    /// Units of the range: elements of the rank's flat parameter buffer (ParameterLayout), or the
    /// losses (LossSums), or the one norm; or tensors of the whole model (tensor_count()), with the
    /// squares that the norms of each are made of; or the whole model's FP8 tensors
    /// (Fp8Tensor::count()), whose largest magnitudes become the maximum over ranks; or rows of the
    /// stream, or of its gradient, that a stage has received in shares; or the data that a phase of
    /// a pass has left for one of the rank's groups (model/unit_phases.hpp): rows of the stream, of
    /// operands of products, of numbers in Real, or of maxima of logits.
    enum class What : std::uint8_t {
        gradients,
        weights,
        loss,
        norm,
        tensor_norms,
        amaxes,
        stage_rows,
        stream_rows,
        stored_rows,
        real_rows,
        row_maxima,
    };

    CollectiveKind operation = CollectiveKind::all_reduce;
    What what = What::gradients;
    GroupKind group = GroupKind::data;
    Range range;
    std::int64_t columns = 1;  ///< numbers per unit of the range; C for activations

    bool varies() const { return operation == CollectiveKind::all_to_all_v; }
    bool is_of_phases() const { return what >= What::stream_rows; }
    /// Transfers of one micro-batch in one chunk.
    bool is_of_stage_pass() const { return what >= What::stage_rows; }
    auto operator<=>(const GroupTransfer&) const = default;
};

/// As an action's.
GroupTransfer transfer_of(const PhaseTransfer& transfer);

/// Gathers a message that arrived in shares of its rows (PipelineOptions::scatter_gather).
GroupTransfer gather_of_message(const StepSpec& spec, const ModelPart& part);

/// A message between stages: the residual stream of a micro-batch, or its gradient.
struct StageMessage {
    int peer_stage = 0;   ///< within the rank's pipeline (rank_of_stage())
    std::int64_t id = 0;  ///< the same on both sides, and nowhere else in the pipeline's step
    bool gradient = false;

    auto operator<=>(const StageMessage&) const = default;
};

/// One action of a rank in a training step. Sequences and stages count from the rank's own replica,
/// so that equal work of different ranks is equal actions.
struct Action {
    enum class Kind : std::uint8_t {
        // Phases of a pass of a unit: all of them, or those up to the next communication.
        forward,          ///< of a unit; a replica's first loads its data, a head adds its loss
        recompute,        ///< activations that the unit's forward pass did not keep
        backward,         ///< of a unit: gradients of its input and weights
        backward_input,   ///< of its input only
        backward_weight,  ///< of its weights only
        send,             ///< begin to send the chunk's output, or the gradient of its input
        receive,          ///< begin to receive the chunk's input, or the gradient of its output
        transfer,         ///< begin a collective
        norm,             ///< sum of squares of the gradients counted by this rank
        tensor_norms,     ///< clip, and sum the squares of the weights and updates that this rank
                          ///< counts, tensor by tensor, for an optimizer that adapts to them
        update,           ///< clip, optimizer step on what this rank owns
    };

    Kind kind = Kind::update;
    /// For forward to backward_weight, send and receive, and a transfer of phases: the micro-batch
    /// (of the replica), the chunk of the rank, the unit of the chunk, and the locations of its
    /// activations and of the gradient of the residual stream.
    std::int64_t micro_batch = 0;
    int chunk = 0;
    int unit = 0;
    int slot = 0;           ///< of the chunk's activations
    int gradient_slot = 0;  ///< of the rank's gradients of the stream
    /// For forward to backward_weight: the phases of the pass, and whether they are the last.
    PhaseRange phases;
    bool ends_pass = true;
    /// For forward: first sequence of the micro-batch, in a training step within the replica's
    /// share of the global batch (first_of_share()), in an evaluation within the held-out data.
    std::int64_t first_sample = 0;
    /// For passes: factor on the micro-batch's loss, in addition to 1 / (tokens of the global batch
    /// that count), which the trainer applies exactly once, together with this factor. 1 in every
    /// correct program; 0 for a micro-batch that only keeps ranks in step.
    double scale = 1.0;
    StageMessage message;    ///< of send and receive, and of a transfer of stage_rows that received
    GroupTransfer transfer;  ///< of transfer
    /// Earlier actions that this one must wait for: sends, receives and transfers, which are only
    /// started in program order. All other actions are complete before the next one begins.
    std::vector<std::size_t> needs;

    bool is_pass() const { return kind <= Kind::backward_weight; }
    bool begins_pass() const { return is_pass() && phases.first == 0; }
    /// For a pass; these are the first kinds, in the order of Pass.
    Pass pass() const { return static_cast<Pass>(kind); }
    bool is_communication() const { return kind >= Kind::send && kind <= Kind::transfer; }
    auto operator<=>(const Action&) const = default;
};

std::string to_string(Action::Kind kind);

/// One training step of one rank as plain data. Actions start one after the other; communication
/// proceeds concurrently until an action needs it, and ends before the step does.
struct StepProgram {
    SharedList<Action> actions;
    std::vector<int> slots;  ///< per chunk: sets of activations held
    int gradient_slots = 1;
    bool splits_backward = false;
};

/// The step of `rank`. The spec is valid (validate()).
StepProgram step_program(const StepSpec& spec, int rank);
/// The steps of all ranks, in rank order. What they have alike is held once.
std::vector<StepProgram> step_programs(const StepSpec& spec);

/// Forward passes only, over `micro_batches` of held-out data: replica d runs the indices d, d +
/// dp, ... as first_sample / micro_batch, the same number on all replicas (surplus ones have scale
/// 0), and the losses are summed over all ranks.
StepProgram evaluation_program(const StepSpec& spec, std::int64_t micro_batches, int rank);

/// First sequence of the rank's share of the global batch: equal shares in order.
std::int64_t first_of_share(const StepSpec& spec, const Coordinates& at);

/// Default bucket size for a model: an eighth of the gradients, so that most of them can be sent
/// during the pass, but at least 256 KiB, below which latency dominates, and at most 25 MiB, where
/// bandwidth is saturated and a larger bucket only waits longer.
std::int64_t default_bucket_bytes(std::int64_t parameters);

}  // namespace shardstone::reference
