// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "collectives/cluster/communicator.hpp"

namespace shardstone::benchmarks {

/// The plans by which these ranks could train a small model: data parallel; with ZeRO-3; where
/// nodes have several ranks, tensor parallel inside them; where they are even, two stages of a
/// pipeline. None for one rank.
std::vector<std::string> plans_of_traffic(const collectives::Topology& topology);

/// The messages of training steps of a plan: programs, buffers and bytes are those of a training of
/// the model "tiny" with two sequences for each replica; computations take no time, and give
/// nothing.
class StepTraffic {
  public:
    /// Collective, with equal arguments. `world` must outlive this object; its description is what
    /// the step is predicted from (Communicator::cluster()). Throws Error equally on all ranks if
    /// that has too few ranks.
    StepTraffic(collectives::Communicator& world, const std::string& plan);
    ~StepTraffic();

    /// Seconds of one step, the slowest rank's, equal on all. Collective.
    double step_s();
    double predicted_s() const;
    /// Bytes that all ranks send in a step, by their programs.
    std::int64_t sent_bytes() const;

  private:
    struct Training;
    std::unique_ptr<Training> training_;
};

}  // namespace shardstone::benchmarks
