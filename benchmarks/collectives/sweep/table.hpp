// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "benchmarks/collectives/sweep/plan.hpp"
#include "benchmarks/collectives/sweep/point.hpp"
#include "collectives/cluster/communicator.hpp"

namespace shardstone::benchmarks {

/// The figures on which predictions are based, in one line.
std::string cluster_line(const collectives::ClusterDescription& cluster);

/// The table of one operation, as lines: its width depends on its longest algorithm's name, with
/// several nodes its rows show the bytes sent over each class of link, and between GPUs there are
/// predictions only where the ranks' description of the cluster has links between these.
class SweepTable {
  public:
    SweepTable(const SweepOptions& options, const OperationPlan& planned,
               const collectives::Communicator& communicator);

    /// The operation, type and ranks, and the names of the columns.
    std::string heading() const;
    /// `mark`, a remark on the row, is printed after the figures.
    std::string row(const SweepPoint& point, const std::string& mark = "") const;

  private:
    std::string title() const;

    const SweepOptions& options_;
    const OperationPlan& planned_;
    std::string ranks_;
    std::size_t name_width_;
    bool several_nodes_;
    bool is_predicted_;
};

}  // namespace shardstone::benchmarks
