// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "reference/step/pricing/plan_costs.hpp"

namespace shardstone::validation {

/// Two ranks a node; a step of small_spec() takes as long on its links as in passes.
reference::Machine small_cluster(int ranks);

/// What a machine is to do to a step, besides what it costs.
struct Planted {
    double slow_rank = 1.0;  ///< factor on what the last rank computes
    double slow_link = 1.0;  ///< factor on the time of bytes between nodes
    double input_s = 0.0;    ///< of each computation that loads
};

/// The costs of a plan on a machine with that planted. The spec must outlive it.
class PlantedCosts : public reference::StepCosts {
  public:
    PlantedCosts(const reference::StepSpec& spec, const reference::Machine& machine,
                 const Planted& planted);

    double compute_s(int rank, const reference::Action& action) const override;
    double message_s(int sender, const reference::Action& send) const override;
    double transfer_s(int member, const reference::GroupTransfer& transfer) const override;

  private:
    const reference::StepSpec& spec_;
    Planted planted_;
    reference::PlanCosts computing_, moving_;
};

}  // namespace shardstone::validation
