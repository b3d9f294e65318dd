// SPDX-License-Identifier: BSD-3-Clause
// Ranks of a node go through an all-reduce in turns, and tell each other where their vectors are.
#include "collectives/executors/shared_memory/turns.hpp"

#include <cstring>
#include <utility>

namespace shardstone::collectives {

namespace {

// A part of the window: the rounds (those of lane 0 are used), the announcement, the slots.
constexpr std::int64_t line_bytes = 64;
constexpr std::int64_t announcement_offset = sizeof(SharedRounds::Shared);
constexpr std::int64_t slots_offset = announcement_offset + line_bytes;

std::int64_t whole_lines(std::int64_t size_bytes) {
    return (size_bytes + line_bytes - 1) / line_bytes * line_bytes;
}

}  // namespace

SharedMemoryTurns::SharedMemoryTurns(const Communicator& communicator, const VectorSpec& vector,
                                     std::int64_t slots, std::int64_t slot_bytes)
    : SharedMemoryExecutor(communicator, slots_offset + slots * whole_lines(slot_bytes)),
      rounds_(window().at<SharedRounds::Shared>(0, 0), window().lanes()),
      reduce_(reduce_across_function(vector.type, vector.reduction)),
      slots_(slots),
      slot_bytes_(whole_lines(slot_bytes)),
      size_bytes_(vector.size_bytes()),
      nothing_to_do_(vector.count == 0 || window().lanes() == 1),
      known_(static_cast<std::size_t>(window().lanes())) {}

void SharedMemoryTurns::start(const void* input, void* output) {
    buffer_ = static_cast<std::byte*>(output);
    if (input != output) std::memcpy(output, input, static_cast<std::size_t>(size_bytes_));
    ++run_;
    first_round_ = rounds_.current();
    turn_ = 0;
    course_ = nothing_to_do_ ? Course{} : plan();
    progress();
}

Executor::Progress SharedMemoryTurns::progress() {
    bool some = false;
    while (turn_ < course_.turns) {
        if (!rounds_.complete(first_round_ + turn_ - course_.lag)) {
            return some ? Progress::some : Progress::none;
        }
        take(turn_++);
        some = true;
    }
    return Progress::done;
}

std::byte* SharedMemoryTurns::slot(int rank, std::int64_t turn) const noexcept {
    return window().part(rank) + slots_offset + (first_round_ + turn) % slots_ * slot_bytes_;
}

SharedMemoryTurns::Announcement& SharedMemoryTurns::place_of_announcement(int rank) const noexcept {
    return window().at<Announcement>(
        rank, announcement_offset + run_ % 2 * static_cast<std::int64_t>(sizeof(Announcement)));
}

void SharedMemoryTurns::announce(const Announcement& mine) noexcept {
    place_of_announcement(rank()) = mine;
    if (mine != announced_) rounds_.tell_news();
    announced_ = mine;
}

const std::vector<SharedMemoryTurns::Announcement>& SharedMemoryTurns::announcements() noexcept {
    std::int64_t& heard = news_[SharedRounds::line_of(first_round_)];
    const std::int64_t told = rounds_.news(first_round_);
    if (std::exchange(heard, told) != told) {
        for (int r = 0; r < ranks(); ++r) {
            known_[static_cast<std::size_t>(r)] = place_of_announcement(r);
        }
    }
    return known_;
}

}  // namespace shardstone::collectives
