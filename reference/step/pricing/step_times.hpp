// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "reference/step/mesh.hpp"
#include "reference/step/pricing/rank_waits.hpp"
#include "reference/step/timeline.hpp"

namespace shardstone::reference {

/// How long everything in one step took, measured or predicted, apart from all waiting: what a
/// replay in virtual time needs, and what can be changed before it.
struct StepTimes {
    /// A computation: what the rank did before it besides waiting, loading data in it, itself, and
    /// waiting for a core in all of these.
    struct Computation {
        double before_s = 0.0;
        double input_s = 0.0;
        double itself_s = 0.0;
        double core_s = 0.0;

        double total_s() const { return before_s + input_s + itself_s + core_s; }
    };
    /// A transfer or message, and for how long of it ranks were late to look, without a core.
    struct Movement {
        double time_s = 0.0;
        double late_s = 0.0;
        /// Ranks that had it before its end, and how long after its begin: less than nothing where
        /// it shared the links with those before it.
        std::vector<std::pair<int, double>> sooner = {};

        double sooner_s(int rank) const;  ///< before its end
        /// Nobody has it later than in that time; if it is longer, all have it as much later.
        void set_time(double new_s);
    };
    /// The group by its first rank and kind; its transfers in order.
    using GroupKey = std::pair<int, GroupKind>;
    using MessageKey = std::tuple<int, int, std::int64_t>;  ///< sender, receiver, id

    std::vector<double> begins_s;  ///< by rank, after the first one; none: all begin at once
    std::vector<std::vector<Computation>> computations;  ///< by rank, in program order
    std::map<GroupKey, std::vector<Movement>> transfers;
    std::map<MessageKey, Movement> messages;
    /// The longest of any rank's steps by its own clock; of actions alone, from the first on any
    /// rank to the last. It is no shorter than the replay: from when the last rank began, which is
    /// when the step before was over, to when the last one ends.
    double step_s = 0.0;
};

/// Whether a computation begins by loading sequences.
bool loads_data(const Action& action, const ModelPart& part);

/// From when every action of a step began and ended on its rank (a communication began when the
/// rank began it), one convention for who waited for what: a transfer takes from when all members
/// had begun it, and the group's transfers before it had ended, to when the last member had it; a
/// message likewise. Each rank has it when it had it. What a rank did neither computing nor waiting
/// comes before its next computation, in its own step: a rank that begins later than others, as its
/// step before took longer, loses nothing by that in this one. `input_s`: each rank's time of
/// loading data, shared evenly by the computations that load. `waits`: of each rank, or none; then
/// all ranks' steps begin with the first action.
StepTimes times_of_step(const StepSpec& spec, std::span<const StepProgram> programs,
                        const StepSpans& spans, std::span<const double> input_s,
                        std::span<const RankWaits> waits = {});

/// `visit(group, action)` for each transfer of each group, in the order of StepTimes::transfers.
template <class Visit>
void for_each_group_transfer(const ParallelPlan& plan, std::span<const StepProgram> programs,
                             Visit visit) {
    for (int rank = 0; rank < std::ssize(programs); ++rank) {
        for (const Action& action : programs[static_cast<std::size_t>(rank)].actions) {
            if (action.kind != Action::Kind::transfer) continue;
            const GroupKind kind = action.transfer.group;
            if (RankGroup(plan, kind, rank).first() != rank) continue;
            visit(StepTimes::GroupKey{rank, kind}, action);
        }
    }
}

/// The step's time when everything takes this long: the programs in virtual time, from when the
/// last rank begins to when the last one ends. Of what was measured, no action ends later than it
/// did; and if anything takes less time, none ends later than before.
double replayed_s(const ParallelPlan& plan, std::span<const StepProgram> programs,
                  const StepTimes& times);

}  // namespace shardstone::reference
