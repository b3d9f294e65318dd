// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "reference/step/pricing/link_prices.hpp"

namespace shardstone::reference {

/// What is different in a step.
struct StepChange {
    std::string name;    ///< "slowest links twice as fast", "perfect overlap", ...
    std::string detail;  ///< "between nodes", "", "hierarchical:ring"
};

/// How long a step would take if one thing were different: its programs replayed with the times it
/// took, these changed.
///   slowest links         between nodes if the ranks are on several, else inside: half the time
///                         that their bytes take by the description
///   links as described    nothing takes longer than by the description, unless ranks were late to
///                         look, without a core
///   a core for every rank no rank waits for one
///   perfect overlap       nobody waits for a message or transfer; not shorter than any group's
///                         transfers in a row, less their waiting for cores
///   another all-reduce    the fastest other algorithm that has a schedule, by the cost model: what
///                         each all-reduce takes besides waiting for cores is longer or shorter by
///                         the ratio of the two predictions
/// A step becomes shorter by no more than these changes take out of it: of a step of one rank,
/// which has no links, only its waiting for cores.
class WhatIf {
  public:
    /// The spec is valid, the programs are its own, of all ranks; both must outlive this object.
    /// Throws Error if the machine has too few ranks.
    WhatIf(const StepSpec& spec, const Machine& machine, const MemoryOptions& memory,
           std::span<const StepProgram> programs);

    /// Those that the plan has a use for.
    std::vector<StepChange> changes() const;
    /// The step with each of these.
    std::vector<double> steps_s(const StepTimes& times) const;

  private:
    /// Factor on the time of each transfer of a group.
    using Factors = std::map<StepTimes::GroupKey, std::vector<double>>;

    void find_other_all_reduce(const StepSpec& spec, const Machine& machine,
                               const MemoryOptions& memory);
    StepTimes faster_links(const StepTimes& times) const;
    StepTimes links_as_described(const StepTimes& times) const;
    StepTimes own_cores(const StepTimes& times) const;
    /// No transfer waits for ranks that have no core.
    StepTimes without_late_looks(const StepTimes& times) const;
    StepTimes other_all_reduce(const StepTimes& times) const;
    double overlapped_s(const StepTimes& times) const;

    const StepSpec& spec_;
    std::span<const StepProgram> programs_;
    LinkPrices links_;
    bool crosses_nodes_ = false;
    std::string all_reduce_;  ///< the other one; "" if there is none
    Factors factors_;
};

}  // namespace shardstone::reference
