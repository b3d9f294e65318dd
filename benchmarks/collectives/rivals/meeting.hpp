// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "benchmarks/harness/team.hpp"
#include "collectives/cluster/shared_rounds.hpp"

namespace shardstone::rivals {

/// Which process of how many this is.
struct Extent {
    int rank = 0;
    int size = 1;
};

/// As the launcher says in the environment (PMI). Throws Error naming what is missing.
Extent place_from_launcher();

/// Processes of one node that meet in a file mapped by all of them, so that programs on libraries
/// that cannot be linked into one are timed by the same rule: who waits sleeps, as on the start
/// line of our own sweeps, and no library's barrier is part of anybody's time.
class Meeting : public benchmarks::Team {
  public:
    /// `path` names a file that exists, empty before the first process comes. `while_asleep` is
    /// called about every tenth of a second of waiting: what the library needs to move messages on.
    /// Throws Error naming a file that cannot be mapped.
    Meeting(const std::string& path, Extent place, std::function<void()> while_asleep);
    ~Meeting() override;

    void line_up() override;
    std::vector<double> maxima(std::span<const double> mine) override;

    /// How far the cores of the first two processes are from each other at this moment: the least
    /// time in s, of a few, that a cache line takes from one to the other and back. A virtual
    /// machine's cores may share a core of the processor now and be two of them a second later, and
    /// nothing else tells. As the first sees it; 0 on the others and where processes share cores.
    double round_trip_s();

  private:
    struct Ball {
        alignas(64) std::int64_t thrown, returned;
    };

    Ball& ball() const;
    double* values_of(int rank) const;

    Extent place_;
    std::function<void()> while_asleep_;
    std::size_t mapped_bytes_;
    void* memory_;
    collectives::SharedRounds rounds_;
    std::int64_t throws_ = 0;
};

}  // namespace shardstone::rivals
