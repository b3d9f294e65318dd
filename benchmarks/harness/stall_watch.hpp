// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string>
#include <vector>

#include "benchmarks/harness/laps.hpp"
#include "benchmarks/harness/outliers.hpp"
#include "benchmarks/harness/pulse.hpp"
#include "benchmarks/harness/surroundings.hpp"
#include "collectives/cluster/communicator.hpp"

namespace shardstone::benchmarks {

/// One rank's part in the iterations of a point, or in the steps of a training.
struct RankPace {
    int rank = 0;
    int node = 0;
    double own_s = 0.0;   ///< median time by its own clock
    double factor = 0.0;  ///< ratio to the median of the other ranks; NaN without any
    double late_s = 0.0;  ///< median delay of its start after the first rank's
};

/// An outlier, and its circumstances.
struct Stall {
    Outlier outlier;
    int attempt = 1;   ///< of its point
    bool kept = true;  ///< whether that attempt is the one that counts
    /// Whether no rank can be named while other programs used the machine, or no sample is longer
    /// because of it.
    bool excused = false;
    double at_s = 0.0;    ///< when the rank last ran, since the watch began; NaN if none
    std::string place;    ///< "rank 3 on node 0 (n0)"; the host is there on rank 0 only
    std::string machine;  ///< state of the machine, in words

    /// Whether a sample is, or may be, longer because of it: the standstill was not between the
    /// iterations.
    bool of_sample() const { return outlier.occasion.timed; }
};

/// Takes the pulse of all ranks while they measure, and identifies stalled samples and the ranks
/// responsible.
class StallWatch {
  public:
    /// Collective. The communicator must outlive this object.
    explicit StallWatch(const collectives::Communicator& communicator);

    /// Outliers in a series (outliers_of()) and outside of it, since the last call. `samples_s` are
    /// equal on all ranks; begin and end of each are this rank's own. `seen` is the other activity
    /// of the machine. Collective; equal on all ranks, except for hosts.
    std::vector<Stall> look(std::span<const double> samples_s, std::span<const double> begin_s,
                            std::span<const double> end_s, const Surroundings& seen);

    /// The medians of all ranks, given this rank's. Collective; equal on all ranks.
    std::vector<RankPace> rank_times(double own_s, double late_s) const;
    /// The same for a measurement's iterations.
    std::vector<RankPace> rank_times(const Laps& laps) const;

  private:
    std::vector<RankStandstill> of_all_ranks(std::span<const double> begin_s,
                                             std::span<const double> end_s);

    std::string place_of(const Outlier& outlier) const;
    double at_s(const Outlier& outlier) const;

    const collectives::Communicator& communicator_;
    std::vector<int> ranks_of_node_;
    std::vector<std::string> hosts_;  ///< by rank, on rank 0
    std::vector<double> start_s_;     ///< of this watch, by rank, on its own clock
    Pulse pulse_;
};

}  // namespace shardstone::benchmarks
