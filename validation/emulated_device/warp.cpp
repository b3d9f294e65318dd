// SPDX-License-Identifier: BSD-3-Clause
// Lanes of a warp meet and give values to each other.
#include <algorithm>
#include <cstring>

#include "validation/emulated_device/block.hpp"
#include "validation/emulated_device/sanitizers.hpp"

namespace shardstone::emulated {

namespace {

Meeting& meeting_of(unsigned mask, unsigned warp) {
    auto& meetings = running_block()->meetings[warp];
    const auto found =
        std::ranges::find_if(meetings, [=](const auto& one) { return one->mask == mask; });
    if (found != meetings.end()) return **found;
    meetings.push_back(std::make_unique<Meeting>());
    meetings.back()->mask = mask;
    return *meetings.back();
}

void wake_others(unsigned mask, const Thread& last) {
    Block& block = *running_block();
    const unsigned first = last.id / lanes * lanes;
    for (unsigned other = 0; other < lanes; ++other) {
        if ((mask >> other & 1U) == 0 || first + other == last.id) continue;
        make_ready(block.threads[first + other]);
    }
}

}  // namespace

const Exchanged& exchange(unsigned mask, const void* value, std::size_t bytes, bool orders_memory,
                          Where where) {
    const Quiet quiet;
    Thread& thread = *running_block()->running;
    if ((mask >> lane() & 1U) == 0) thread_fault("a lane that its own mask does not name", where);
    Meeting& meeting = meeting_of(mask, thread.id / lanes);
    if (meeting.arrived == 0) {
        meeting.where = where;
    } else if (!is_same(meeting.where, where)) {
        thread_fault("divergent operation of a warp, others are at " + text_of(meeting.where),
                     where);
    }
    if (orders_memory) release(&meeting);
    Exchanged& given = meeting.given[meeting.times % 2];
    std::memcpy(given.of[lane()], value, bytes);
    meeting.arrived |= 1U << lane();
    if (meeting.arrived == mask) {
        ++meeting.times;
        meeting.arrived = 0;
        wake_others(mask, thread);
        make_ready(thread);
        give_way(Wait::none, where);
    } else {
        give_way(Wait::warp, where);
    }
    if (orders_memory) acquire(&meeting);
    return given;
}

}  // namespace shardstone::emulated
