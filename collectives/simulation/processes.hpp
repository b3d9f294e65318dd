// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "collectives/simulation/fabric.hpp"
#include "collectives/simulation/step_lists.hpp"

namespace shardstone::collectives {

/// Both ends of a message have reached its step.
struct Meeting {
    double time_s = 0.0;
    std::uint32_t sender = 0, receiver = 0;  ///< processes
    std::uint32_t end = 0;                   ///< the receiver's
};

/// Progress of each channel of each rank through its steps, and the reductions of the ranks. The
/// functions take `offer`, which is called with every new Meeting.
class Processes {
  public:
    Processes(const StepLists& lists, const Fabric& fabric);

    std::uint32_t rank_of(std::uint32_t process) const { return processes_[process].rank; }

    /// Enters the next step, if there is one.
    template <class Offer>
    void advance(std::uint32_t number, Offer&& offer) {
        Process& process = processes_[number];
        if (++process.step == lists_.first_step(number + 1)) return;
        process.entered_s = process.finished_s;
        process.number = lists_.step(process.step).number;
        process.first_end = lists_.step(process.step).first_end;
        process.pending = lists_.step(process.step + 1).first_end - process.first_end;
        lists_.prefetch(process.first_end + process.pending);
        for (std::uint32_t i = 0; i < process.pending; ++i) offer_if_met(number, i, offer);
    }

    /// A message has ended: the receiver reduces, and processes that wait for nothing else
    /// continue.
    template <class Offer>
    void end_of_message(std::uint32_t sender, std::uint32_t receiver, const MessageEnd& received,
                        double time_s, Offer&& offer) {
        finish(sender, time_s, offer);
        if (received.reduced_bytes > 0 && received.after_sends) {
            processes_[receiver].reduce_after_sends_bytes += received.reduced_bytes;
        } else if (received.reduced_bytes > 0) {
            time_s = reduce(processes_[receiver].rank, time_s, received.reduced_bytes);
        }
        finish(receiver, time_s, offer);
    }

    /// Time at which the last process has finished its last step.
    double end_s() const;
    /// Throws Error naming the first process that has not.
    void require_done() const;

  private:
    struct Process {
        double entered_s = 0.0;
        double finished_s = 0.0;  ///< when what has ended of the current step had ended
        std::int64_t reduce_after_sends_bytes = 0;
        std::uint32_t rank = 0, channel = 0;
        std::uint32_t step = 0;       ///< in the lists
        std::int32_t number = 0;      ///< of that step in the schedule
        std::uint32_t first_end = 0;  ///< of that step
        std::uint32_t pending = 0;    ///< messages of that step still to end
    };

    template <class Offer>
    void offer_if_met(std::uint32_t number, std::uint32_t place, Offer&& offer) {
        const Process& process = processes_[number];
        const MessageEnd& end = lists_.end(process.first_end + place);
        const std::uint32_t other_number = end.peer * lists_.channels() + process.channel;
        const Process& other = processes_[other_number];
        if (other.pending == 0 || other.number != process.number) return;
        const std::uint32_t twin = twin_of(process, place, other);
        if (twin == 0) return;
        const double time_s = std::max(process.entered_s, other.entered_s);
        if (end.is_send) {
            offer(Meeting{time_s, number, other_number, twin - 1});
        } else {
            offer(Meeting{time_s, other_number, number, process.first_end + place});
        }
    }

    template <class Offer>
    void finish(std::uint32_t number, double time_s, Offer&& offer) {
        Process& process = processes_[number];
        process.finished_s = std::max(process.finished_s, time_s);
        if (--process.pending > 0) return;
        if (process.reduce_after_sends_bytes > 0) {
            process.finished_s =
                reduce(process.rank, process.finished_s, process.reduce_after_sends_bytes);
            process.reduce_after_sends_bytes = 0;
        }
        advance(number, offer);
    }

    std::uint32_t twin_of(const Process& process, std::uint32_t place, const Process& other) const;
    double reduce(std::uint32_t rank, double ready_s, std::int64_t size_bytes);

    const StepLists& lists_;
    const Fabric& fabric_;
    std::vector<Process> processes_;
    std::vector<double> reduce_free_s_;  ///< of each rank
};

}  // namespace shardstone::collectives
