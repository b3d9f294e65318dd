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

/// An all-reduce that all ranks go through in turns: a rank takes turn t once all ranks have ended
/// turn t - lag. What happens in a turn is the derived class's.
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
    /// How the run on buffer() will go; nothing is done yet.
    virtual Course plan() = 0;
    /// Does turn `turn`; ends it with end_turn() where others depend on it.
    virtual void take(std::int64_t turn) = 0;

    void end_turn() noexcept { rounds_.arrive(); }
    std::byte* buffer() const noexcept { return buffer_; }
    /// The slot of a rank for what comes into the window in `turn`; slots are used in turn.
    std::byte* slot(int rank, std::int64_t turn) const noexcept;

    /// What a rank tells the others in turn 0 of a run. The runs use two places in turn, since a
    /// rank may begin the next run before all others have read what it said in this one.
    struct Announcement {
        std::uint64_t window;       ///< identity of the window that its vector lies in, or 0
        std::int64_t offset_bytes;  ///< where in its part
        std::uint64_t address;      ///< of the vector in its rank's memory

        bool operator==(const Announcement&) const = default;
    };
    /// This rank's, in turn 0.
    void announce(const Announcement& mine) noexcept;
    /// All ranks', once turn 0 is complete: those of the last run unless one has changed, which
    /// saves fetching them from the other cores.
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
