// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "reference/model/parameter_layout.hpp"
#include "reference/step/step_program.hpp"

namespace shardstone::validation {

/// A copy of a right program of one rank, to be spoilt. Positions in `needs` follow what is moved.
class Spoiler {
  public:
    using Action = reference::Action;
    using Test = std::function<bool(const Action&)>;

    Spoiler(const reference::StepSpec& spec, int rank, const reference::StepProgram& program)
        : spec_(spec),
          rank_(rank),
          program_(program),
          actions_(program.actions.begin(), program.actions.end()) {}

    /// What has become of it.
    reference::StepProgram spoilt() const;

    /// Position of the `number`-th action that passes the test.
    std::size_t find(const Test& test, int number = 0) const;
    Action& at(std::size_t position) { return actions_.at(position); }
    Action& at(const Test& test, int number = 0) { return at(find(test, number)); }
    std::vector<Action>& actions() { return actions_; }
    /// All but its actions.
    reference::StepProgram& program() { return program_; }

    void insert(std::size_t position, Action action);
    void erase(std::size_t position);
    void erase(const Test& test, int number = 0) { erase(find(test, number)); }
    void repeat(const Test& test, int number = 0);
    /// To just before `to`. What needs it still does, if it still comes before.
    void move(std::size_t from, std::size_t to);
    /// Nobody waits for it any more.
    void forget(const Test& test, int number = 0);
    /// What other schedules or options would have this rank do.
    void replace(const std::function<void(reference::StepSpec&)>& change);
    /// For every action that passes.
    void change(const Test& test, const std::function<void(Action&)>& how);

    /// First element of a group in the rank's flat buffer, and how many the group has.
    reference::Range group(reference::ParameterGroup::Kind kind, std::int64_t layer = 0) const;

  private:
    reference::StepSpec spec_;
    int rank_;
    reference::StepProgram program_;
    std::vector<Action> actions_;
};

Spoiler::Test pass(reference::Action::Kind kind, std::int64_t micro_batch, int unit = 0);
Spoiler::Test message(reference::Action::Kind kind, std::int64_t micro_batch,
                      bool gradient = false);
Spoiler::Test transfer(reference::GroupTransfer::What what, reference::GroupKind group);
/// Of ranges that touch a range.
Spoiler::Test transfer(reference::GroupTransfer::What what, reference::GroupKind group,
                       reference::Range range);
Spoiler::Test of_kind(reference::Action::Kind kind);

}  // namespace shardstone::validation
