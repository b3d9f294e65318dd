// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>

#include "collectives/cluster/doorbell.hpp"

namespace shardstone::collectives {

/// Rounds that the ranks of a node go through together, the barrier of shared memory: a rank
/// arrives at the end of each, and can ask whether all ranks have. Rounds count 0, 1, 2, ...
///
/// Between two arrivals a rank may be ahead of the slowest one by less than `most_lag` rounds: it
/// must ensure that round n - most_lag is complete before it arrives in round n. Data that a rank
/// wrote before it arrived are visible to every rank that saw the round complete.
class SharedRounds {
  public:
    static constexpr std::int64_t most_lag = 3;

    /// The part in shared memory; its initial state is zeros.
    struct Shared {
        struct alignas(64) Line {
            std::int64_t arrivals;
            std::int64_t news;
        };
        std::array<Line, most_lag + 1> lines;
        Doorbell bell;
    };

    /// `shared` is the same object for all `ranks` ranks, and outlives this one.
    SharedRounds(Shared& shared, int ranks) : shared_(shared), ranks_(ranks) {}

    /// The round that this rank is in.
    std::int64_t current() const noexcept { return current_; }
    /// Ends this rank's part in the current round; the last rank to do so wakes the others.
    void arrive() noexcept;
    /// Whether all ranks have arrived in `round`; true for rounds before the first.
    bool complete(std::int64_t round) const noexcept;

    /// Before arrive(): tells every rank that sees this round complete that this rank has left new
    /// data to read.
    void tell_news() noexcept;
    /// Number of announcements in `round` and in the earlier rounds of its line. A rank reads that
    /// line for the round's completion anyway: unchanged data need not be fetched again from
    /// another core. For a complete round, before its line is reused.
    std::int64_t news(std::int64_t round) const noexcept;
    /// Index of the line, of most_lag + 1, used by a round.
    static std::size_t line_of(std::int64_t round) noexcept {
        return static_cast<std::size_t>(round % (most_lag + 1));
    }

    /// Rung by the last rank to arrive.
    Doorbell& bell() const noexcept { return shared_.bell; }

  private:
    std::int64_t& arrivals(std::int64_t round) const noexcept;
    std::int64_t arrivals_when_complete(std::int64_t round) const noexcept;

    Shared& shared_;
    std::int64_t ranks_;
    std::int64_t current_ = 0;
};

}  // namespace shardstone::collectives
