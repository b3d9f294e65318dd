// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <span>
#include <vector>

#include "collectives/cluster/shared_rounds.hpp"
#include "collectives/executors/shared_memory/executor.hpp"
#include "collectives/executors/shared_memory/reduce.hpp"
#include "collectives/operation/spec.hpp"

namespace shardstone::collectives {

/// An all-reduce that all ranks execute in rounds (`turns`): a rank begins turn t once all ranks
/// have ended turn t - lag. The derived class defines the work of a turn.
class SharedMemoryTurns : public SharedMemoryExecutor {
  public:
    void start(const void* input, void* output) final;
    Progress progress() final;
    std::int64_t bytes_sent() const noexcept final { return 0; }

  protected:
    /// Collective. Each rank has `slots` slots of `slot_bytes` in the window.
    SharedMemoryTurns(const Communicator& communicator, const VectorSpec& vector,
                      std::int64_t slots, std::int64_t slot_bytes);

    struct Course {
        std::int64_t turns = 0;
        std::int64_t lag = 1;
    };
    /// Chooses the method of the run on buffer(), without starting it.
    virtual Course plan() = 0;
    /// Executes turn `turn`; ends it with end_turn() if others depend on it.
    virtual void take(std::int64_t turn) = 0;

    void end_turn() noexcept { rounds_.arrive(); }
    std::byte* buffer() const noexcept { return buffer_; }
    /// The slot of a rank for data that enter the window in `turn`; slots are used cyclically.
    std::byte* slot(int rank, std::int64_t turn) const noexcept;

    /// Data that a rank announces to the others in turn 0 of a run. Runs alternate between two
    /// locations, since a rank may begin the next run before all others have read its announcement
    /// of this one.
    struct Announcement {
        std::uint64_t window;       ///< identity of the window that its vector lies in, or 0
        std::int64_t offset_bytes;  ///< offset in its part
        std::uint64_t address;      ///< of the vector in its rank's memory

        bool operator==(const Announcement&) const = default;
    };
    /// Makes this rank's announcement, in turn 0.
    void announce(const Announcement& mine) noexcept;
    /// Announcements of all ranks, once turn 0 is complete: those of the last run unless one has
    /// changed, which avoids fetching them from the other cores.
    const std::vector<Announcement>& announcements() noexcept;

    /// Reduces `count` elements of one source per rank, in rank order, into all results.
    void reduce(std::span<const std::byte* const> sources, std::span<std::byte* const> results,
                std::int64_t count) const {
        reduce_(sources, results, count);
    }

  private:
    Doorbell& bell() final { return rounds_.bell(); }
    Announcement& place_of_announcement(int rank) const noexcept;

    SharedRounds rounds_;
    ReduceAcrossFunction reduce_;
    std::int64_t slots_;
    std::int64_t slot_bytes_;
    std::int64_t size_bytes_;
    bool nothing_to_do_;
    std::byte* buffer_ = nullptr;
    std::int64_t run_ = 0;
    std::int64_t first_round_ = 0;
    std::int64_t turn_ = 0;
    Course course_;
    Announcement announced_{};                                     ///< in the last run
    std::vector<Announcement> known_;                              ///< of all ranks
    std::array<std::int64_t, SharedRounds::most_lag + 1> news_{};  ///< heard so far, by line
};

}  // namespace shardstone::collectives
