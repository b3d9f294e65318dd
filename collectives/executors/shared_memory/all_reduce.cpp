// SPDX-License-Identifier: BSD-3-Clause
// All-reduce within a node: in one shot, in place in a window, by single copies or in segments.
#include "collectives/executors/shared_memory/all_reduce.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "collectives/operation/layout.hpp"
#include "kernels/base/error.hpp"

namespace shardstone::collectives {

namespace {

// Staged: segment k comes in at turn k, is reduced at turn k + lag and leaves at turn k + 2 lag,
// after which the turn t = k + 2 lag has ended for this rank. A slot that is filled again at turn
// k + slots has therefore been emptied by all ranks when turn k + slots - lag >= k + 2 lag + 1 has
// ended for all. One shot: a slot is read in the turn after, before the reader's next run begins,
// so that two would do.
std::int64_t slots_for(std::int64_t lag) {
    return 3 * lag + 1;
}

/// Collective. Nothing where ordinary vectors of this size, or any, go another way.
std::unique_ptr<SingleCopy> make_single_copy(const Communicator& communicator,
                                             const VectorSpec& vector,
                                             const SharedMemoryTuning& tuning) {
    const bool wanted = tuning.single_copy_bytes > 0 &&
                        vector.size_bytes() >= tuning.single_copy_bytes &&
                        vector.size_bytes() > tuning.one_shot_in_window_bytes;
    if (!wanted) return nullptr;
    PeerMemory peers(communicator);
    if (!peers.reachable()) return nullptr;
    return std::make_unique<SingleCopy>(std::move(peers), communicator, vector, tuning.chunk_bytes);
}

}  // namespace

SharedMemoryAllReduce::SharedMemoryAllReduce(const Communicator& communicator,
                                             const VectorSpec& vector,
                                             const SharedMemoryTuning& tuning,
                                             std::unique_ptr<SingleCopy> copies)
    : SharedMemoryTurns(communicator, vector, slots_for(tuning.lag),
                        copies ? 0
                               : std::min(std::max(tuning.segment_bytes, tuning.one_shot_bytes),
                                          vector.size_bytes())),
      vector_(vector),
      element_bytes_(static_cast<std::int64_t>(element_size(vector.type))),
      segment_(std::max<std::int64_t>(1, tuning.segment_bytes / element_bytes_)),
      segments_((vector.count + segment_ - 1) / segment_),
      lag_(tuning.lag),
      small_(vector.size_bytes() <= tuning.one_shot_bytes),
      tiny_(vector.size_bytes() <= tuning.one_shot_in_window_bytes),
      copies_(std::move(copies)),
      sources_(static_cast<std::size_t>(ranks())),
      addresses_(sources_.size()),
      block_(slice(rank(), vector.count)) {}

SharedMemoryTurns::Course SharedMemoryAllReduce::plan() {
    if (tiny_) return {.turns = 2, .lag = 1};
    find_buffer();
    if (place_ || copies_) return {.turns = 3, .lag = 1};
    if (small_) return {.turns = 2, .lag = 1};
    return {.turns = segments_ + 2 * lag_, .lag = lag_};
}

void SharedMemoryAllReduce::find_buffer() {
    const std::int64_t changes = SharedWindow::changes();
    if (buffer() == sought_ && changes == windows_when_sought_) return;
    place_ = SharedWindow::find(buffer(), vector_.size_bytes());
    sought_ = buffer();
    windows_when_sought_ = changes;
}

void SharedMemoryAllReduce::take(std::int64_t turn) {
    if (turn == 0 && !tiny_) announce(whereabouts());
    if (place_ || copies_) {
        take_direct(turn);
    } else if (small_) {
        take_one_shot(turn);
    } else {
        take_staged(turn);
    }
}

SharedMemoryAllReduce::Slice SharedMemoryAllReduce::slice(int rank, std::int64_t count) const {
    const BlockPartition partition(count, ranks(), block_grain_bytes / element_bytes_);
    const std::int64_t elements = partition.elements({rank, 1});
    return {partition.begin(rank) * element_bytes_, elements * element_bytes_, elements};
}

SharedMemoryTurns::Announcement SharedMemoryAllReduce::whereabouts() const {
    const auto address = reinterpret_cast<std::uintptr_t>(buffer());
    return place_ ? Announcement{place_->window->identity(), place_->offset_bytes, address}
                  : Announcement{0, 0, address};
}

void SharedMemoryAllReduce::require_same_kind() {
    const auto& said = announcements();
    const auto other = std::ranges::find_if(
        said, [&](const Announcement& one) { return one.window != said.front().window; });
    require(other == said.end(), [&] {
        return fmt::format(
            "rank {} reduces a buffer in another shared window than rank 0, "
            "or in none: make the buffers on all ranks with one call",
            other - said.begin());
    });
}

void SharedMemoryAllReduce::take_direct(std::int64_t turn) {
    if (turn == 1) {
        require_same_kind();
        place_ ? reduce_in_place() : reduce_by_copies();
    }
    if (turn < 2) end_turn();
}

void SharedMemoryAllReduce::reduce_in_place() {
    const Slice& mine = block_;
    const auto& said = announcements();
    results_.assign(1, buffer() + mine.offset_bytes);
    for (int r = 0; r < ranks(); ++r) {
        const auto at = static_cast<std::size_t>(r);
        std::byte* const place = place_->window->part(r) + said[at].offset_bytes;
        sources_[at] = place + mine.offset_bytes;
        if (r != rank()) results_.push_back(place + mine.offset_bytes);
    }
    reduce(sources_, results_, mine.count);
}

void SharedMemoryAllReduce::reduce_by_copies() {
    const Slice& mine = block_;
    std::ranges::transform(announcements(), addresses_.begin(), [&](const Announcement& one) {
        return one.address + static_cast<std::uint64_t>(mine.offset_bytes);
    });
    copies_->reduce(addresses_, mine.count);
}

void SharedMemoryAllReduce::take_one_shot(std::int64_t turn) {
    if (turn == 0) {
        std::memcpy(slot(rank(), 0), buffer(), static_cast<std::size_t>(vector_.size_bytes()));
        end_turn();
        return;
    }
    if (!tiny_) require_same_kind();
    for (int r = 0; r < ranks(); ++r) sources_[static_cast<std::size_t>(r)] = slot(r, 0);
    results_.assign(1, buffer());
    reduce(sources_, results_, vector_.count);
}

std::unique_ptr<Executor> make_shared_memory_all_reduce(const Communicator& communicator,
                                                        const VectorSpec& vector,
                                                        const SharedMemoryTuning& tuning) {
    require_one_node(communicator.topology());
    return std::make_unique<SharedMemoryAllReduce>(communicator, vector, tuning,
                                                   make_single_copy(communicator, vector, tuning));
}

}  // namespace shardstone::collectives
