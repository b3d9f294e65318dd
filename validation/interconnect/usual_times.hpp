// SPDX-License-Identifier: BSD-3-Clause
// How long a message of each pair usually takes, and when one is slow.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <tuple>

#include "results/schema/interconnect.hpp"

namespace shardstone::validation {

/// Messages of a soak above this many times their usual are slow. Less is neither a fault that
/// costs a training a fifth of its communication, nor worth the memory: on a noisy machine many
/// messages would be kept. How often it happens in a healthy cluster is counted, not assumed
/// (spells.hpp).
inline constexpr double slow_factor = 1.2;
/// A wait for a message that is so much longer than usual, of ranks that had cores, means silence:
/// no switch keeps one back for as long, and TCP's first retransmission is due after a fifth of it.
inline constexpr double silence_s = 1.0;

/// Medians over the passes before a soak, in which all pairs were tested.
class UsualTimes {
  public:
    /// Further tests, made to tell suspects apart, are left out.
    explicit UsualTimes(std::span<const results::PairSampleRow> rows);

    /// Infinite if the pair was not tested with this size.
    double time_s(int sender, int receiver, std::int64_t size_bytes) const;
    /// Pairs, directions and sizes.
    std::size_t tests() const noexcept { return times_s_.size(); }
    std::int64_t largest_bytes() const noexcept { return largest_bytes_; }

  private:
    std::map<std::tuple<int, int, std::int64_t>, double> times_s_;
    std::int64_t largest_bytes_ = 0;
};

}  // namespace shardstone::validation
