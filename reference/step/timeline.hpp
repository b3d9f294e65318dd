// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <compare>
#include <span>
#include <vector>

#include "reference/step/shared_list.hpp"
#include "reference/step/step_program.hpp"

namespace shardstone::reference {

/// Costs of actions, in seconds. Members are called for one action of one rank at a time.
class StepCosts {
  public:
    virtual ~StepCosts() = default;
    /// Phases of a pass; the norm; the update.
    virtual double compute_s(int rank, const Action& action) const = 0;
    /// From both sides being ready to the message's arrival.
    virtual double message_s(int sender, const Action& send) const = 0;
    /// From all members being ready to the end; `member` is any of them.
    virtual double transfer_s(int member, const GroupTransfer& transfer) const = 0;

    /// When the rank begins the step; of all ranks, the first at 0.
    virtual double begin_s(int /*rank*/) const { return 0.0; }
    /// By how much the rank had the message or transfer that was asked for last before its end: at
    /// most since it began it, which may be before others did, or before those of its group before
    /// it had ended.
    virtual double sooner_s(int /*rank*/) const { return 0.0; }
};

/// Time span of an action; for communication from the time at which all sides had begun it, to when
/// the rank had it.
struct ActionSpan {
    double begin_s = 0.0;
    double end_s = 0.0;

    auto operator<=>(const ActionSpan&) const = default;
};

/// When each action of a step ran, by rank and action.
using StepSpans = std::vector<SharedList<ActionSpan>>;

/// A step of all ranks in virtual time.
struct Timeline {
    StepSpans spans;             ///< held once where ranks do the same at the same time
    std::vector<double> busy_s;  ///< by rank: in passes, without communication
    double end_s = 0.0;          ///< the whole step

    /// Share of the ranks' time up to the end of the last pass that went into passes.
    double utilisation = 0.0;
    /// By rank: waiting time between its first action and the end of the step.
    double exposed_s(int rank) const;
};

/// Simulates the programs of all ranks (in rank order): a rank runs its actions one after the
/// other, and waits if an action needs an unfinished one. A message is transferred once both sides
/// have begun it, a transfer once all members have; transfers of one group run one after the other,
/// those of different groups concurrently. Throws Error on a deadlock, naming rank, action and the
/// awaited action, and if members begin different transfers together.
Timeline run_in_virtual_time(const ParallelPlan& plan, std::span<const StepProgram> programs,
                             const StepCosts& costs);

}  // namespace shardstone::reference
