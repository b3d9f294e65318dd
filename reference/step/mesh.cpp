// SPDX-License-Identifier: BSD-3-Clause
// The only arithmetic with the ranks of a plan.
#include "reference/step/mesh.hpp"

#include <initializer_list>

#include "kernels/base/error.hpp"

namespace shardstone::reference {

namespace {

/// Where an axis has its size and its place.
struct AxisFields {
    int ParallelPlan::*size;
    int Coordinates::*place;
};

/// In the order of MeshAxis.
constexpr std::array<AxisFields, mesh_axes> axis_fields{{
    {&ParallelPlan::tensor, &Coordinates::tensor},
    {&ParallelPlan::data, &Coordinates::data},
    {&ParallelPlan::pipeline, &Coordinates::pipeline},
}};

/// The axes that a kind of group extends over, and whether only the two ends of them take part.
struct GroupShape {
    constexpr GroupShape(const char* name, std::initializer_list<MeshAxis> axes,
                         bool ends_only = false)
        : name(name), ends_only(ends_only) {
        for (const MeshAxis axis : axes) extends_over[static_cast<std::size_t>(axis)] = true;
    }

    const char* name;
    std::array<bool, mesh_axes> extends_over{};
    bool ends_only;
};

/// In the order of GroupKind.
constexpr std::array<GroupShape, group_kinds> group_shapes{{
    {"world", {MeshAxis::tensor, MeshAxis::data, MeshAxis::pipeline}},
    {"data", {MeshAxis::data}},
    {"tensor", {MeshAxis::tensor}},
    {"pipeline", {MeshAxis::pipeline}},
    {"tied", {MeshAxis::pipeline}, true},
}};

constexpr const GroupShape& shape_of(GroupKind kind) {
    return group_shapes[static_cast<std::size_t>(kind)];
}

}  // namespace

Coordinates coordinates_of(const ParallelPlan& plan, int rank) {
    SHARDSTONE_EXPECTS(rank >= 0 && rank < plan.ranks());
    Coordinates at;
    for (const AxisFields& axis : axis_fields) {
        at.*axis.place = rank % (plan.*axis.size);
        rank /= plan.*axis.size;
    }
    return at;
}

int rank_at(const ParallelPlan& plan, const Coordinates& at) {
    int rank = 0;
    for (std::size_t axis = mesh_axes; axis-- > 0;) {
        rank = rank * (plan.*axis_fields[axis].size) + at.*axis_fields[axis].place;
    }
    return rank;
}

std::string to_string(GroupKind kind) {
    return shape_of(kind).name;
}

RankGroup::RankGroup(const ParallelPlan& plan, GroupKind kind, int rank) : first_(rank) {
    const GroupShape& shape = shape_of(kind);
    const Coordinates at = coordinates_of(plan, rank);
    int stride = 1;
    for (std::size_t axis = 0; axis < mesh_axes; ++axis) {
        const int size = plan.*axis_fields[axis].size;
        const int place = at.*axis_fields[axis].place;
        const bool takes_part = !shape.ends_only || place == 0 || place == size - 1;
        if (shape.extends_over[axis] && takes_part && size > 1) {
            extents_[axis] =
                shape.ends_only ? Extent{2, stride * (size - 1)} : Extent{size, stride};
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
    for (std::size_t axis = mesh_axes; axis-- > 0;) {
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
