// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "collectives/executors/shared_memory/shared_memory.hpp"
#include "collectives/executors/shared_memory/single_copy.hpp"
#include "collectives/executors/shared_memory/turns.hpp"

namespace shardstone::collectives {

/// The executor of make_shared_memory_all_reduce(); the method of a run depends on the size and
/// location of its vector.
class SharedMemoryAllReduce : public SharedMemoryTurns {
  public:
    /// Collective. Without `copies`, ordinary vectors go through the window.
    SharedMemoryAllReduce(const Communicator& communicator, const VectorSpec& vector,
                          const SharedMemoryTuning& tuning, std::unique_ptr<SingleCopy> copies);

  protected:
    Course plan() override;
    void take(std::int64_t turn) override;

  private:
    struct Slice {
        std::int64_t offset_bytes, size_bytes, count;
    };
    /// The block of a rank, in a vector of `count` elements.
    Slice slice(int rank, std::int64_t count) const;

    /// Location of the run's vector, if in a window; looked up again when it may have changed.
    void find_buffer();
    Announcement whereabouts() const;
    /// All ranks see the same announcements, so either all of them throw or none.
    void require_same_kind();

    /// All vectors are ready at turn 1, and all blocks of them reduced at turn 2.
    void take_direct(std::int64_t turn);
    void reduce_in_place();
    void reduce_by_copies();

    void take_one_shot(std::int64_t turn);

    void take_staged(std::int64_t turn);
    bool is_segment(std::int64_t k) const { return 0 <= k && k < segments_; }
    std::int64_t count_of(std::int64_t segment) const;
    std::byte* segment_of_buffer(std::int64_t segment) const;
    /// Copies the parts that the other ranks reduce; this rank reads its own block in place.
    void copy_in(std::int64_t segment) const;
    /// Reduces into its own vector, and into this rank's slot for the others.
    void reduce_segment(std::int64_t segment);
    void copy_out(std::int64_t segment) const;
    static void copy(const Slice& part, const std::byte* from, std::byte* to);

    VectorSpec vector_;
    std::int64_t element_bytes_;
    std::int64_t segment_;  ///< elements
    std::int64_t segments_;
    std::int64_t lag_;
    bool small_;                                   ///< small enough for one shot unless in a window
    bool tiny_;                                    ///< small enough for one shot anywhere
    std::optional<SharedWindow::Location> place_;  ///< of the run's vector, when in a window
    std::unique_ptr<SingleCopy> copies_;           ///< unless ordinary vectors are not copied
    std::vector<const std::byte*> sources_;
    std::vector<std::byte*> results_;
    std::vector<std::uint64_t> addresses_;
    Slice block_;  ///< of this rank, in the whole vector
    const std::byte* sought_ = nullptr;
    std::int64_t windows_when_sought_ = -1;
};

}  // namespace shardstone::collectives
