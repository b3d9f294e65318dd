// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <vector>

#include "reference/model/parameter_layout.hpp"
#include "reference/step/schedules/schedule.hpp"
#include "reference/step/step_program.hpp"

namespace shardstone::reference {

/// A pass of one unit, about to be added to a program.
struct UnitPass {
    Turn turn;
    int unit = 0;  ///< within the chunk
    bool first_of_turn = false;
    bool last_of_turn = false;
    bool last_micro_batch = false;  ///< no later turn of this kind runs this chunk
};

/// A program under construction, and what strategies need to know to add to it.
class ProgramBuilder {
  public:
    ProgramBuilder(const StepSpec& spec, int rank);

    const StepSpec& spec() const { return spec_; }
    int rank() const { return rank_; }
    Coordinates at() const { return at_; }
    const ModelPart& part() const { return part_; }
    const ParameterLayout& layout() const { return layout_; }
    int group_size(GroupKind kind) const;

    /// Adds an action; returns its position.
    std::size_t add(Action action);
    /// Adds a transfer that begins after `needs`.
    std::size_t add_transfer(const GroupTransfer& transfer, std::vector<std::size_t> needs = {});
    /// The next action that is added waits for `action`, too.
    void next_needs(std::size_t action) { next_needs_.push_back(action); }
    /// The actions that belong to the turn at hand have these.
    Action& turn_template() { return template_; }

    StepProgram& program() { return program_; }

  private:
    StepSpec spec_;
    int rank_;
    Coordinates at_;
    ModelPart part_;
    ParameterLayout layout_;
    StepProgram program_;
    std::vector<std::size_t> next_needs_;
    Action template_;
};

/// One way to split training, as what it adds to a step program. A strategy is one file that
/// registers itself; those that a plan does not use add nothing.
class Strategy {
  public:
    virtual ~Strategy() = default;
    /// Before and after each unit's pass is added.
    virtual void before(ProgramBuilder&, const UnitPass&) {}
    virtual void after(ProgramBuilder&, const UnitPass&) {}
    /// After all passes, in order of registration.
    virtual void finish(ProgramBuilder&) {}
    /// After the update.
    virtual void after_update(ProgramBuilder&) {}
};

}  // namespace shardstone::reference
