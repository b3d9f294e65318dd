// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <vector>

#include "collectives/cluster/communicator.hpp"
#include "reference/step/mesh.hpp"

namespace shardstone::reference {

/// The groups that a rank belongs to under a plan, as communicators. Making them blocks in MPI,
/// which is slow where ranks outnumber cores: only groups of several ranks get one, and one for all
/// ranks serves all kinds that have all. Trainers that follow each other may share them.
class PlanGroups {
  public:
    /// Collective over the job.
    PlanGroups(const collectives::Communicator& world, const ParallelPlan& plan);

    /// None where the rank is alone. The pipeline's has the ranks of the job, and is for messages
    /// alone.
    collectives::Communicator* communicator(GroupKind kind);
    collectives::Topology topology(GroupKind kind) const;

  private:
    std::vector<collectives::Communicator> communicators_;
    PerGroup<std::optional<std::size_t>> communicator_of_;
};

}  // namespace shardstone::reference
