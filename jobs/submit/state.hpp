// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "jobs/submit/folder.hpp"
#include "jobs/submit/queue.hpp"

namespace shardstone::submit {

enum class State : std::uint8_t { done, running, queued, failed, missing, unknown };

const char* word_of(State state);

/// How a point stands.
struct PointState {
    Point point;
    State state = State::missing;
    /// Of a failed one: the reason and its log; of a queued one: Slurm's words; of one that is
    /// done: what its run says against the machine, if anything; of an unknown one: how its last
    /// run failed, if that is told.
    std::string why;
    /// Of one that is done: its rate, if it is of a training, whether it was disturbed, and whether
    /// a task for it is held.
    std::string found = {};

    std::string detail() const;  ///< what was found, then why; printable()
    bool to_run() const { return state == State::failed || state == State::missing; }
    /// Whether it may yet be done without another call.
    bool may_go_on() const { return !to_run() && state != State::done; }
};

/// A point is done only if its record can be read, is complete, passed all its checks, and is of
/// this point's words and ranks and of this revision of the program. Otherwise what is under way is
/// read from the queue, and why an ended run has no such record from what it left.
PointState state_of(const Plan& plan, const Point& point, const QueueEntry* entry,
                    const std::string& revision);

/// Of all points. Where the queue could not be asked, those that are not done are unknown.
std::vector<PointState> states_of(const Plan& plan, const Queue& queue,
                                  const std::string& revision);

/// One line per point, and how many are in each state; then how to repeat one that is done and says
/// something against the machine, if there is any.
std::string status_table(const Plan& plan, const std::vector<PointState>& states);

}  // namespace shardstone::submit
