// SPDX-License-Identifier: BSD-3-Clause
// Communicators of a rank's groups under its plan; groups of one rank need none.
#include "reference/trainer/plan_groups.hpp"

namespace shardstone::reference {

namespace {

namespace coll = collectives;

}  // namespace

PlanGroups::PlanGroups(const coll::Communicator& world, const ParallelPlan& plan) {
    if (world.size() == 1) return;
    communicators_.push_back(world.split(0));
    for (const GroupKind& kind : group_kinds()) {
        // The first rank's group has several members if any has; messages name ranks of the job.
        const int size = RankGroup(plan, kind, 0).size();
        if (size == 1) continue;
        communicator_of_[kind] = 0;
        const bool messages = kind == GroupKind::pipeline;
        if (size == world.size() && !is_alone(kind)) continue;
        const int color = messages ? 0 : RankGroup(plan, kind, world.rank()).first();
        communicators_.push_back(world.split(color));
        communicator_of_[kind] = communicators_.size() - 1;
    }
}

coll::Communicator* PlanGroups::communicator(GroupKind kind) {
    const auto& known = communicator_of_[kind];
    return known ? &communicators_[*known] : nullptr;
}

coll::Topology PlanGroups::topology(GroupKind kind) const {
    const auto& known = communicator_of_[kind];
    return known ? communicators_[*known].topology() : coll::Topology::one_node(1);
}

}  // namespace shardstone::reference
