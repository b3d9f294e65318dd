// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "benchmarks/collectives/sweep/plan.hpp"
#include "benchmarks/collectives/sweep/point.hpp"

namespace shardstone::benchmarks {

/// The figures that predictions go by, in one line.
std::string cluster_line(const collectives::ClusterDescription& cluster);

/// The table of one operation, as lines: its rows are as wide as its longest algorithm's name, and
/// with several nodes they say what went over each class of link.
class SweepTable {
  public:
    SweepTable(const SweepOptions& options, const OperationPlan& planned,
               const collectives::Topology& topology);

    /// What is measured on what, and the names of the columns.
    std::string heading() const;
    /// `mark` is said behind the figures: what is to be known of the row.
    std::string row(const SweepPoint& point, const std::string& mark = "") const;

  private:
    std::string title() const;

    const SweepOptions& options_;
    const OperationPlan& planned_;
    std::string ranks_;
    std::size_t name_width_;
    bool several_nodes_;
};

}  // namespace shardstone::benchmarks
