// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <utility>
#include <vector>

#include "reference/model/parameter_layout.hpp"
#include "reference/step/schedules/schedule.hpp"
#include "reference/step/state_layout.hpp"
#include "reference/step/step_program.hpp"

namespace shardstone::reference {

/// The pass of a unit that is about to be, or has just been, added to a program.
struct UnitPass {
    StagePass stage_pass;
    int unit = 0;  ///< within the chunk
    Unit what;
    bool first_of_stage_pass = false;
    bool last_of_stage_pass = false;
    bool last_micro_batch =
        false;  ///< no later stage pass of the step runs the same pass on this chunk

    bool is_forward() const { return stage_pass.pass == Pass::forward; }
    /// Whether it reads weights: all passes except the second half of a split backward pass and the
    /// embedding's backward pass.
    bool reads_weights() const;
    /// Whether it adds to the gradients of weights.
    bool makes_gradients() const {
        return stage_pass.pass == Pass::backward || stage_pass.pass == Pass::backward_weight;
    }
};

/// A program under construction, with the information that strategies need in order to add to it.
class ProgramBuilder {
  public:
    ProgramBuilder(const StepSpec& spec, int rank);

    const StepSpec& spec() const { return spec_; }
    const Coordinates& at() const { return at_; }
    const ModelPart& part() const { return part_; }
    const ParameterLayout& layout() const { return layout_; }
    const StateLayout& state() const { return state_; }
    /// Index in model order of a chunk of this rank, and the stage that holds another part.
    int part_number(int chunk) const { return chunk * spec_.plan.pipeline + at_.pipeline; }
    int stage_of_part(int number) const { return number % spec_.plan.pipeline; }
    int parts() const { return spec_.pipeline.chunks * spec_.plan.pipeline; }

    /// Appends an action; returns its position. A pass or a receive waits for the actions added by
    /// next_needs() since the previous one.
    std::size_t add(Action action);
    /// Appends all phases of a unit's pass in the current stage pass, with the transfers between
    /// them.
    void add_pass(Pass pass, int unit);
    std::size_t add_transfer(const GroupTransfer& transfer, std::vector<std::size_t> needs = {});
    void next_needs(std::size_t action) { next_needs_.push_back(action); }
    void next_needs(const std::vector<std::size_t>& actions) {
        next_needs_.insert(next_needs_.end(), actions.begin(), actions.end());
    }
    /// An action of the current stage pass, with micro-batch, chunk, slots and first sample filled
    /// in.
    Action of_stage_pass(Action::Kind kind, int unit) const;

    /// The parameter groups whose gradients are final for the micro-batch after this pass; those of
    /// the token embedding only once its first user, the embedding, has also finished.
    std::vector<std::size_t> finished_groups(const UnitPass& pass) const;
    /// Transfers of gradients so far that overlap the range, except those for which another of them
    /// has waited.
    std::vector<std::size_t> reductions_of(const Range& range) const;
    std::vector<std::size_t> all_reductions() const { return reductions_; }

    const std::vector<Action>& actions() const { return actions_; }
    std::vector<Action> take_actions() { return std::move(actions_); }
    /// Sets the fields that of_stage_pass() fills in.
    void begin_stage_pass(const Action& common) { stage_pass_ = common; }

  private:
    void remember(std::size_t position);
    std::size_t add_transfer_of(const Action& phases, const PhaseTransfer& transfer);

    StepSpec spec_;
    Coordinates at_;
    ModelPart part_;
    ParameterLayout layout_;
    StateLayout state_;
    UnitPhases phases_;
    std::vector<Action> actions_;
    std::vector<std::size_t> next_needs_;
    std::vector<std::size_t> reductions_;
    Action stage_pass_;
};

}  // namespace shardstone::reference
