// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "benchmarks/harness/team.hpp"
#include "collectives/cluster/shared_rounds.hpp"

namespace shardstone::rivals {

/// Rank of this process, and number of processes.
struct Extent {
    int rank = 0;
    int size = 1;
};

/// From the launcher's environment variables (PMI). Throws Error naming missing ones.
Extent place_from_launcher();

/// Processes of one node that meet in a file mapped by all of them, so that programs with libraries
/// that cannot be linked into one are timed by the same rule: waiting processes sleep, as on the
/// start line of our own sweeps, and no library's barrier is part of any measured time.
class Meeting : public benchmarks::Team {
  public:
    /// `path` names an existing file, empty before the first process opens it. `while_asleep` is
    /// called about every tenth of a second of waiting, for libraries that need it to progress
    /// messages. Throws Error naming a file that cannot be mapped.
    Meeting(const std::string& path, Extent place, std::function<void()> while_asleep);
    ~Meeting() override;

    void line_up() override;
    std::vector<double> maxima(std::span<const double> mine) override;

    /// Current distance between the cores of the first two processes: the minimum of a few
    /// round-trip times of a cache line, in s. A virtual machine's cores may share a core of the
    /// processor now and be two of them a second later, which cannot be detected otherwise. As
    /// measured by the first process; 0 on the others and if processes share cores.
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
