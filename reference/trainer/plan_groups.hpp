// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <vector>

#include "collectives/cluster/communicator.hpp"
#include "reference/step/mesh.hpp"

namespace shardstone::reference {

/// The groups that a rank belongs to under a plan, as communicators. Creating them blocks in MPI,
/// which is slow if ranks outnumber cores: only groups of several ranks get a communicator, and a
/// single one serves all kinds of groups that contain all ranks. Successive trainers may share
/// them.
class PlanGroups {
  public:
    /// Collective over the job.
    PlanGroups(const collectives::Communicator& world, const ParallelPlan& plan);

    /// nullptr if the rank is alone. The pipeline's has all ranks of the job, and is only for
    /// messages.
    collectives::Communicator* communicator(GroupKind kind);
    collectives::Topology topology(GroupKind kind) const;

  private:
    std::vector<collectives::Communicator> communicators_;
    PerGroup<std::optional<std::size_t>> communicator_of_;
};

}  // namespace shardstone::reference
