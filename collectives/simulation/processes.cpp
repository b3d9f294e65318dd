// SPDX-License-Identifier: BSD-3-Clause
// How far each channel of each rank has come in a simulation, and which message ends have met.
#include "collectives/simulation/processes.hpp"

#include <fmt/format.h>

#include "kernels/base/error.hpp"

namespace shardstone::collectives {

Processes::Processes(const StepLists& lists, const Fabric& fabric)
    : lists_(lists),
      fabric_(fabric),
      processes_(lists.processes()),
      reduce_free_s_(lists.ranks(), 0.0) {
    for (std::uint32_t p = 0; p < lists.processes(); ++p) {
        processes_[p].rank = p / lists.channels();
        processes_[p].channel = p % lists.channels();
        processes_[p].step = lists.first_step(p) - 1;  // advance() enters the first
        processes_[p].finished_s = fabric.start_s();
    }
}

/// One more than the index of the other end of a message in the other process's current step; 0
/// when there is none. Symmetric schedules have it at the same place, where the search begins.
std::uint32_t Processes::twin_of(const Process& process, std::uint32_t place,
                                 const Process& other) const {
    const bool is_send = lists_.end(process.first_end + place).is_send;
    const std::uint32_t after = lists_.step(other.step + 1).first_end;
    const std::uint32_t count = after - other.first_end;
    for (std::uint32_t i = 0, at = place < count ? place : 0; i < count; ++i) {
        const MessageEnd& end = lists_.end(other.first_end + at);
        if (end.peer == process.rank && end.is_send != is_send) return other.first_end + at + 1;
        at = at + 1 == count ? 0 : at + 1;
    }
    return 0;
}

double Processes::reduce(std::uint32_t rank, double ready_s, std::int64_t size_bytes) {
    const double start_s = std::max(ready_s, reduce_free_s_[rank]);
    reduce_free_s_[rank] = start_s + fabric_.reduction_s(size_bytes);
    return reduce_free_s_[rank];
}

double Processes::end_s() const {
    double end_s = 0.0;
    for (const Process& process : processes_) end_s = std::max(end_s, process.finished_s);
    return end_s;
}

void Processes::require_done() const {
    const auto stuck = std::ranges::find_if(
        processes_, [](const Process& process) { return process.pending > 0; });
    require(stuck == processes_.end(), [&] {
        return fmt::format(
            "the schedule deadlocks: rank {} never completes channel {}, step {}; check the "
            "algorithm's schedule",
            stuck->rank, stuck->channel, stuck->number);
    });
}

}  // namespace shardstone::collectives
