// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace shardstone::benchmarks {

/// What a rank does in its turn, the same on all of them.
enum class RankTest : std::uint8_t {
    compute,  ///< multiply-adds in registers
    memory,   ///< copies of an array of 32 MiB, more than a core's own caches hold
    wake_up,  ///< sleeps of a millisecond, of which the excess counts
};
inline constexpr RankTest rank_tests[]{RankTest::compute, RankTest::memory, RankTest::wake_up};
const char* to_string(RankTest test);

/// The work behind the tests of ranks, in pieces of a few milliseconds.
class RankWork {
  public:
    RankWork();

    /// Makes a piece of compute take some milliseconds of CPU time here; others take over the
    /// result.
    void size_pieces();
    std::int64_t compute_steps() const noexcept { return compute_steps_; }
    void take_over(std::int64_t compute_steps) noexcept { compute_steps_ = compute_steps; }

    /// Does one piece; its time, or of a sleep the excess.
    double piece_s(RankTest test);
    /// How long a piece takes on a core of its own: its CPU time, which neighbours do not lengthen;
    /// of a sleep its length.
    double usual_piece_s(RankTest test);

  private:
    void compute();
    void copy();
    static void sleep();

    std::int64_t compute_steps_ = 1000;
    std::vector<std::byte> from_, to_;
    double sum_ = 0.0;  ///< so that nothing is optimised away
};

}  // namespace shardstone::benchmarks
