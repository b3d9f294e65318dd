// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "benchmarks/interconnect/rank_turns.hpp"
#include "benchmarks/interconnect/rank_work.hpp"
#include "collectives/cluster/communicator.hpp"

namespace shardstone::benchmarks {

/// Turns of each test: the fewest that have quartiles, and those after which more tell little.
inline constexpr int least_turns = 3, most_turns = 24;

/// A turn of a rank.
struct RankSample {
    int rank = 0;
    RankTest test = RankTest::arithmetic;
    int turn = 0;         ///< counted per rank and test
    double at_s = 0.0;    ///< since the tests began, by the rank's clock
    double time_s = 0.0;  ///< RankWork::piece_s(): the mean over the pieces of the turn
};

/// Times fixed pieces of work on every rank. Ranks that share cores take turns (rank_turns.hpp),
/// asleep in between; a turn begins at an agreed time after a barrier, without messages. The work
/// is sized once, on rank 0, and the same on all. Collective.
class RankTests {
  public:
    /// As many turns of each test and rank as fit into the budget, but least_turns at least and
    /// most_turns at most.
    /// Collective, with equal budgets. `world` must outlive this object. Times count from
    /// `began_s`, by this rank's now_s(), or from now. With messages between GPUs those are tested,
    /// too, one of each rank.
    RankTests(const collectives::Communicator& world, double budget_s,
              std::optional<double> began_s = {},
              collectives::DataMemory memory = collectives::DataMemory::host);

    std::span<const RankTest> tests() const noexcept { return tests_; }
    int turns() const noexcept { return turns_; }
    int turns_taken() const noexcept { return taken_; }

    /// Seconds that turns() turns take, equal on all ranks.
    double duration_s() const;
    /// So many turns more of all tests, the tests in alternation, numbered on from those taken.
    /// Complete on rank 0, empty elsewhere. `began` is called on every rank before each turn, and
    /// `stops`, which must be equal on all, between two: if fewer than least_turns have been taken
    /// by then, nothing is returned. Collective.
    std::vector<RankSample> run(int turns, const std::function<void(int)>& began = {},
                                const std::function<bool()>& stops = {});

    /// What the GPUs of all ranks told during products since the last call, on rank 0, by times
    /// since the tests began. Collective.
    std::vector<results::GpuReadingRow> take_gpu_readings();
    /// Why the GPU of each rank cannot be read, empty where it can; on rank 0. Collective.
    std::vector<std::string> why_no_gpu_readings() const;

  private:
    double once_s() const;
    RankSample take_turn(RankTest test, int turn);

    const collectives::Communicator& world_;
    std::span<const RankTest> tests_;
    RankTurn order_;
    int turns_;
    int taken_ = 0;
    RankWork work_;
    double begin_s_;
    std::vector<double> piece_s_;  ///< of each test, on rank 0
};

}  // namespace shardstone::benchmarks
