// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <vector>

#include "collectives/executors/shared_memory.hpp"
#include "collectives/executors/shared_memory_turns.hpp"
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

class SharedMemoryAllReduce : public SharedMemoryTurns {
  public:
    SharedMemoryAllReduce(const Communicator& communicator, const VectorSpec& vector,
                          const SharedMemoryTuning& tuning)
        : SharedMemoryTurns(
              communicator, vector, slots_for(tuning.lag),
              std::min(std::max(tuning.segment_bytes, tuning.one_shot_bytes), vector.size_bytes())),
          vector_(vector),
          element_bytes_(static_cast<std::int64_t>(element_size(vector.type))),
          segment_(std::max<std::int64_t>(1, tuning.segment_bytes / element_bytes_)),
          segments_((vector.count + segment_ - 1) / segment_),
          lag_(tuning.lag),
          small_(vector.size_bytes() <= tuning.one_shot_bytes),
          tiny_(vector.size_bytes() <= tuning.one_shot_in_window_bytes),
          sources_(static_cast<std::size_t>(ranks())) {}

  protected:
    Course plan() override {
        if (tiny_) return {.turns = 2, .lag = 1};
        place_ = SharedWindow::find(buffer(), vector_.size_bytes());
        if (place_) return {.turns = 3, .lag = 1};
        if (small_) return {.turns = 2, .lag = 1};
        return {.turns = segments_ + 2 * lag_, .lag = lag_};
    }

    void take(std::int64_t turn) override {
        if (turn == 0 && !tiny_) announce();
        if (place_) {
            take_direct(turn);
        } else if (small_) {
            take_one_shot(turn);
        } else {
            take_staged(turn);
        }
    }

  private:
    struct Slice {
        std::int64_t offset_bytes, size_bytes, count;
    };

    /// The block of a rank, in a vector of `count` elements.
    Slice slice(int rank, std::int64_t count) const {
        const BlockPartition partition(count, ranks(), block_grain_bytes / element_bytes_);
        const std::int64_t elements = partition.elements({rank, 1});
        return {partition.begin(rank) * element_bytes_, elements * element_bytes_, elements};
    }

    void announce() {
        announcement(rank()) = place_
                                   ? Announcement{place_->window->identity(), place_->offset_bytes}
                                   : Announcement{0, 0};
    }

    /// All ranks see the same announcements, so that all of them throw or none does.
    void require_same_kind() const {
        for (int r = 1; r < ranks(); ++r) {
            require(announcement(r).window == announcement(0).window, [&] {
                return fmt::format(
                    "rank {} reduces a buffer in another shared window than rank 0, "
                    "or in none: make the buffers on all ranks with one call",
                    r);
            });
        }
    }

    void take_direct(std::int64_t turn) {
        if (turn == 1) {
            require_same_kind();
            reduce_in_place();
        }
        if (turn < 2) end_turn();
    }

    void reduce_in_place() {
        const Slice mine = slice(rank(), vector_.count);
        results_.assign(1, buffer() + mine.offset_bytes);
        for (int r = 0; r < ranks(); ++r) {
            std::byte* const place = place_->window->part(r) + announcement(r).offset_bytes;
            sources_[static_cast<std::size_t>(r)] = place + mine.offset_bytes;
            if (r != rank()) results_.push_back(place + mine.offset_bytes);
        }
        reduce(sources_, results_, mine.count);
    }

    void take_one_shot(std::int64_t turn) {
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

    void take_staged(std::int64_t turn) {
        if (turn == lag_) require_same_kind();
        if (is_segment(turn - lag_)) reduce_segment(turn - lag_);
        if (is_segment(turn)) copy_in(turn);
        end_turn();
        if (is_segment(turn - 2 * lag_)) copy_out(turn - 2 * lag_);
    }

    bool is_segment(std::int64_t k) const { return 0 <= k && k < segments_; }
    std::int64_t count_of(std::int64_t segment) const {
        return std::min(segment_, vector_.count - segment * segment_);
    }
    std::byte* segment_of_buffer(std::int64_t segment) const {
        return buffer() + segment * segment_ * element_bytes_;
    }

    /// What the other ranks reduce; this rank reads its own block where it is.
    void copy_in(std::int64_t segment) const {
        for (int to = 0; to < ranks(); ++to) {
            if (to != rank())
                copy(slice(to, count_of(segment)), segment_of_buffer(segment),
                     slot(rank(), segment));
        }
    }

    /// Into its own vector, and into this rank's slot, where the others find it.
    void reduce_segment(std::int64_t segment) {
        const Slice mine = slice(rank(), count_of(segment));
        for (int r = 0; r < ranks(); ++r) {
            const std::byte* const vector =
                r == rank() ? segment_of_buffer(segment) : slot(r, segment);
            sources_[static_cast<std::size_t>(r)] = vector + mine.offset_bytes;
        }
        results_.assign({segment_of_buffer(segment) + mine.offset_bytes,
                         slot(rank(), segment) + mine.offset_bytes});
        reduce(sources_, results_, mine.count);
    }

    void copy_out(std::int64_t segment) const {
        for (int distance = 1; distance < ranks(); ++distance) {
            // Each rank begins with another neighbour, so that not all read one part at a time.
            const int from = (rank() + distance) % ranks();
            copy(slice(from, count_of(segment)), slot(from, segment), segment_of_buffer(segment));
        }
    }

    static void copy(const Slice& part, const std::byte* from, std::byte* to) {
        std::memcpy(to + part.offset_bytes, from + part.offset_bytes,
                    static_cast<std::size_t>(part.size_bytes));
    }

    VectorSpec vector_;
    std::int64_t element_bytes_;
    std::int64_t segment_;  ///< elements
    std::int64_t segments_;
    std::int64_t lag_;
    bool small_;                                ///< enough for one shot unless it is in a window
    bool tiny_;                                 ///< enough for one shot wherever it is
    std::optional<SharedWindow::Place> place_;  ///< of the run's vector, when in a window
    std::vector<const std::byte*> sources_;
    std::vector<std::byte*> results_;
};

}  // namespace

std::unique_ptr<Executor> make_shared_memory_all_reduce(const Communicator& communicator,
                                                        const VectorSpec& vector,
                                                        const SharedMemoryTuning& tuning) {
    require_one_node(communicator.topology());
    return std::make_unique<SharedMemoryAllReduce>(communicator, vector, tuning);
}

}  // namespace shardstone::collectives
