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

/// Elements [first, first + count) of something.
struct Range {
    std::int64_t first = 0;
    std::int64_t count = 0;

    std::int64_t end() const { return first + count; }
    auto operator<=>(const Range&) const = default;
};

/// A collective on a range of what a rank holds, in place; where ranks have shares, each has its
/// even_share of the range, in the order of the group. By a shift every rank gets the range that
/// the one before it has, the first the last one's, beside its own. By an all-to-all it gets from
/// each its even_share of the range of that one, in the order of the group, beside its own.
struct GroupTransfer {
    enum class CollectiveKind : std::uint8_t {
        all_reduce,
        reduce_scatter,
        all_gather,
        shift,
        all_to_all,
        all_to_all_v,  ///< how much goes to whom is known only when it begins
    };
    /// What the range counts: elements of the rank's flat parameter buffer (ParameterLayout), or
    /// the losses (LossSums), or the one norm; or tensors of the whole model (tensor_count()), with
    /// the squares that the norms of each are made of; or the whole model's FP8 tensors
    /// (Fp8Scales::count()), whose largest magnitudes become the maximum over ranks; or rows of
    /// the stream, or of its gradient, that a stage has received in shares; or what a phase of a
    /// pass has left for one of the rank's groups (model/unit_phases.hpp): rows of the stream, of
    /// what products read, of numbers in Real, or of maxima of logits.
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
    std::int64_t columns = 1;  ///< numbers for each that the range counts; C of activations

    bool varies() const { return operation == CollectiveKind::all_to_all_v; }
    bool is_of_phases() const { return what >= What::stream_rows; }
    /// Of one micro-batch in one chunk.
    bool is_of_stage_pass() const { return what >= What::stage_rows; }
    auto operator<=>(const GroupTransfer&) const = default;
};

/// As an action's.
GroupTransfer transfer_of(const PhaseTransfer& transfer);

/// Of what a message has brought in shares of its rows (PipelineOptions::scatter_gather).
GroupTransfer gather_of_message(const StepSpec& spec, const ModelPart& part);

/// A message between stages: the residual stream of a micro-batch, or its gradient.
struct StageMessage {
    int peer_stage = 0;   ///< within the rank's pipeline (rank_of_stage())
    std::int64_t id = 0;  ///< the same on both sides, and nowhere else in the pipeline's step
    bool gradient = false;

    auto operator<=>(const StageMessage&) const = default;
};

/// One thing that a rank does in a training step. Sequences and stages are counted from where the
/// rank is, so that what ranks do alike are equal actions.
struct Action {
    enum class Kind : std::uint8_t {
        // Phases of a pass of a unit, all of them or as far as they go without other ranks.
        forward,         ///< of a unit; the first of a replica loads its data, a head adds its loss
        recompute,       ///< what the unit's forward pass did not keep
        backward,        ///< of a unit: gradients of its input and weights
        backward_input,  ///< of its input only
        backward_weight,  ///< of its weights only
        send,             ///< begin to send the chunk's output, or the gradient of its input
        receive,          ///< begin to receive the chunk's input, or the gradient of its output
        transfer,         ///< begin a collective
        norm,             ///< sum the squares of the gradients that this rank counts
        tensor_norms,     ///< clip, and sum the squares of the weights and updates that this rank
                          ///< counts, tensor by tensor, for an optimizer that adapts to them
        update,           ///< clip, optimizer step on what this rank owns
    };

    Kind kind = Kind::update;
    /// Of forward to backward_weight, send and receive, and of a transfer of phases: which
    /// micro-batch (of the replica), which chunk of the rank, which unit of the chunk, and where
    /// its activations and the gradient of the residual stream live meanwhile.
    std::int64_t micro_batch = 0;
    int chunk = 0;
    int unit = 0;
    int slot = 0;           ///< of the chunk's activations
    int gradient_slot = 0;  ///< of the rank's gradients of the stream
    /// Of forward to backward_weight: which of the pass's phases, and whether they are the last.
    PhaseRange phases;
    bool ends_pass = true;
    /// Of forward: first sequence of the micro-batch, in a training step within the replica's share
    /// of the global batch (first_of_share()), in an evaluation within the held-out data.
    std::int64_t first_sample = 0;
    /// Of passes: factor on the micro-batch's loss beside 1 / (tokens of the global batch that
    /// count), by which the trainer divides, exactly once and in this place. 1 in every right
    /// program; 0 for a micro-batch that is only there to keep step with others.
    double scale = 1.0;
    StageMessage message;    ///< of send and receive, and of a transfer of stage_rows that received
    GroupTransfer transfer;  ///< of transfer
    /// Actions before this one that it has to wait for: sends, receives and transfers, which only
    /// begin in their turn. Everything else is done when its turn is over.
    std::vector<std::size_t> needs;

    bool is_pass() const { return kind <= Kind::backward_weight; }
    bool begins_pass() const { return is_pass() && phases.first == 0; }
    /// Of a pass, which are the first kinds, in the order of Pass.
    Pass pass() const { return static_cast<Pass>(kind); }
    bool is_communication() const { return kind >= Kind::send && kind <= Kind::transfer; }
    auto operator<=>(const Action&) const = default;
};

std::string to_string(Action::Kind kind);

/// One training step of one rank as plain data. Actions are begun one after the other; what
/// communicates goes on beside the others until somebody needs it, and ends before the step does.
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
/// dp, ... as first_sample / micro_batch, all replicas equally many (those too many have scale 0),
/// and the losses are summed over all ranks.
StepProgram evaluation_program(const StepSpec& spec, std::int64_t micro_batches, int rank);

/// The first sequence of the rank's share of the global batch: equal shares in order.
std::int64_t first_of_share(const StepSpec& spec, const Coordinates& at);

/// The default bucket size for a model: an eighth of the gradients, so that most of them can leave
/// while the pass goes on, but from 256 KiB, below which latency rules, to 25 MiB, where bandwidth
/// is reached and a larger one only waits longer.
std::int64_t default_bucket_bytes(std::int64_t parameters);

}  // namespace shardstone::reference
