// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "benchmarks/harness/start_line.hpp"
#include "benchmarks/harness/team.hpp"

namespace shardstone::benchmarks {

/// The ranks of a communicator, which must outlive it.
///
/// They have a common clock if one kernel runs them all, by its random boot ID, regardless of
/// declared nodes.
class RankTeam : public Team {
  public:
    /// Collective.
    explicit RankTeam(const collectives::Communicator& communicator);

    void line_up() override { start_line_.wait(); }
    std::vector<double> maxima(std::span<const double> mine) override;
    bool one_clock() const override { return one_clock_; }

  private:
    const collectives::Communicator& communicator_;
    StartLine start_line_;
    bool one_clock_;
};

}  // namespace shardstone::benchmarks
