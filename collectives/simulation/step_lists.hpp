// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "collectives/operation/layout.hpp"
#include "collectives/schedule/schedule.hpp"

namespace shardstone::collectives {

/// One end of a message: all data that one rank sends to another in one step of one channel.
struct MessageEnd {
    std::int64_t size_bytes = 0;
    std::int64_t reduced_bytes = 0;  ///< of them, the part that the receiver reduces
    std::uint32_t peer = 0;
    bool is_send = false;
    bool after_sends = false;  ///< reduces into blocks that its rank sends in the same step
};

/// The programs of all ranks for the event engine: flat arrays, sizes in bytes, without empty
/// parts. One channel of one rank is a process; processes are numbered channel by channel of rank
/// after rank.
class StepLists {
  public:
    struct ListedStep {
        std::uint32_t first_end;  ///< its ends go up to the next step's
        std::int32_t number;      ///< in the schedule
    };

    explicit StepLists(int ranks) : place_(2 * static_cast<std::size_t>(ranks), 0) {}

    /// Appends the next rank's program. The only code here that depends on RankProgram: several
    /// actions of one channel and step with one peer in one direction become one message. Throws
    /// Error if the lists exceed the limit of the engine (most_ends).
    void append(const RankProgram& program, const BlockLayout& layout, std::int64_t element_bytes);
    /// Call after the last rank; nothing may be appended any more.
    void close();

    std::uint32_t processes() const { return static_cast<std::uint32_t>(first_step_.size() - 1); }
    std::uint32_t channels() const { return channels_; }
    std::uint32_t ranks() const { return processes() / channels_; }
    /// Steps [first_step(p), first_step(p + 1)) are those of process p.
    std::uint32_t first_step(std::uint32_t process) const { return first_step_[process]; }
    const ListedStep& step(std::uint32_t step) const { return steps_[step]; }
    const MessageEnd& end(std::uint32_t end) const { return ends_[end]; }

    /// Prefetches the following data: with thousands of lists read alternately the processor does
    /// not do so by itself.
    void prefetch(std::uint32_t end) const {
        __builtin_prefetch(ends_.data() + end);
        __builtin_prefetch(ends_.data() + end + 2);
    }

    /// A little more than 6 GiB of them.
    static constexpr std::size_t most_ends = std::size_t{1} << 28;

  private:
    void append_step(std::span<const BlockTransfer> actions, const BlockLayout& layout, int rank,
                     std::int64_t element_bytes);
    void reserve();
    MessageEnd& end_with(const BlockTransfer& action, std::size_t first);

    std::uint32_t channels_ = 1;
    std::vector<std::uint32_t> first_step_;
    std::vector<ListedStep> steps_;
    std::vector<MessageEnd> ends_;
    std::vector<std::uint32_t> place_;  ///< of the latest end with a peer, one more than its index
};

}  // namespace shardstone::collectives
