// SPDX-License-Identifier: BSD-3-Clause
// The only arithmetic with the ranks of a plan.
#include "reference/step/mesh.hpp"

#include <algorithm>
#include <utility>

#include "kernels/base/error.hpp"

namespace shardstone::reference {

namespace {

/// Kinds of groups and their names, side by side.
struct GroupRegistry {
    std::vector<GroupKind> kinds{GroupKind::world, GroupKind::data, GroupKind::tensor,
                                 GroupKind::pipeline, GroupKind::tied};
    std::vector<std::string> names{"world", "data", "tensor", "pipeline", "tied"};
    std::vector<GroupKind> alone{GroupKind::pipeline};  // messages have tags of their own
};

GroupRegistry& group_registry() {
    static GroupRegistry registry;
    return registry;
}

/// The axes along which ranks take different sequences.
constexpr GroupKind batch{&MeshAxis::splits_batch};

}  // namespace

Coordinates coordinates_of(const ParallelPlan& plan, int rank) {
    SHARDSTONE_EXPECTS(rank >= 0 && rank < plan.ranks());
    Coordinates at;
    for (const MeshAxis& axis : mesh_axes) {
        at.*axis.place = rank % (plan.*axis.size);
        rank /= plan.*axis.size;
    }
    return at;
}

int rank_at(const ParallelPlan& plan, const Coordinates& at) {
    int rank = 0;
    for (std::size_t axis = mesh_axes.size(); axis-- > 0;) {
        rank = rank * (plan.*mesh_axes[axis].size) + at.*mesh_axes[axis].place;
    }
    return rank;
}

int rank_of_stage(const ParallelPlan& plan, int rank, int stage) {
    return RankGroup(plan, GroupKind::pipeline, rank).rank(stage);
}

int size_of(const ParallelPlan& plan, const GroupKind& kind) {
    int size = 1;
    for (std::size_t i = 0; i < mesh_axes.size(); ++i) {
        if (kind.extends_over(i)) size *= plan.*mesh_axes[i].size;
    }
    return size;
}

int place_of(const ParallelPlan& plan, const GroupKind& kind, const Coordinates& at) {
    int place = 0;
    for (std::size_t i = mesh_axes.size(); i-- > 0;) {
        if (!kind.extends_over(i)) continue;
        place = place * (plan.*mesh_axes[i].size) + at.*mesh_axes[i].place;
    }
    return place;
}

int replicas(const ParallelPlan& plan) {
    return size_of(plan, GroupKind::data);
}

int batch_shares(const ParallelPlan& plan) {
    return size_of(plan, batch);
}

int batch_share_of(const ParallelPlan& plan, const Coordinates& at) {
    return place_of(plan, batch, at);
}

std::string to_string(const GroupKind& kind) {
    return group_registry().names[index_of(kind)];
}

GroupKindRegistration::GroupKindRegistration(const GroupKind& kind, std::string name, bool alone) {
    group_registry().kinds.push_back(kind);
    group_registry().names.push_back(std::move(name));
    if (alone) group_registry().alone.push_back(kind);
}

bool is_alone(const GroupKind& kind) {
    return std::ranges::count(group_registry().alone, kind) > 0;
}

const std::vector<GroupKind>& group_kinds() {
    return group_registry().kinds;
}

std::size_t index_of(const GroupKind& kind) {
    const auto& kinds = group_kinds();
    const auto found = std::ranges::find(kinds, kind);
    SHARDSTONE_EXPECTS(found != kinds.end());
    return static_cast<std::size_t>(found - kinds.begin());
}

RankGroup::RankGroup(const ParallelPlan& plan, const GroupKind& kind, int rank) : first_(rank) {
    const Coordinates at = coordinates_of(plan, rank);
    int stride = 1;
    for (std::size_t axis = 0; axis < mesh_axes.size(); ++axis) {
        const int size = plan.*mesh_axes[axis].size;
        const int place = at.*mesh_axes[axis].place;
        const bool takes_part = !kind.ends_only() || place == 0 || place == size - 1;
        if (kind.extends_over(axis) && takes_part && size > 1) {
            extents_[axis] =
                kind.ends_only() ? Extent{2, stride * (size - 1)} : Extent{size, stride};
            first_ -= place * stride;
        }
        stride *= size;
    }
}

int RankGroup::size() const {
    int size = 1;
    for (const Extent& extent : extents_) size *= extent.size;
    return size;
}

int RankGroup::rank(int index) const {
    SHARDSTONE_EXPECTS(index >= 0 && index < size());
    int rank = first_;
    for (const Extent& extent : extents_) {
        rank += index % extent.size * extent.stride;
        index /= extent.size;
    }
    return rank;
}

int RankGroup::index_of(int rank) const {
    int index = 0;
    int rest = rank - first_;
    for (std::size_t axis = mesh_axes.size(); axis-- > 0;) {
        const Extent& extent = extents_[axis];
        const int place = extent.size > 1 ? rest / extent.stride : 0;
        index = index * extent.size + place;
        rest -= place * extent.stride;
    }
    SHARDSTONE_EXPECTS(rest == 0 && index >= 0 && index < size());
    return index;
}

std::vector<int> RankGroup::members() const {
    std::vector<int> members;
    for (int index = 0; index < size(); ++index) members.push_back(rank(index));
    return members;
}

}  // namespace shardstone::reference
