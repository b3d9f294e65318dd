// SPDX-License-Identifier: BSD-3-Clause
// Ranks on the axes of a plan, and the groups that act together.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "reference/step/parallel_plan.hpp"

namespace shardstone::reference {

/// A rank's place on every axis of a plan, each from 0.
struct Coordinates {
    int data = 0;
    int tensor = 0;
    int pipeline = 0;

    bool operator==(const Coordinates&) const = default;
};

/// The axes from the innermost, whose neighbours have consecutive ranks, to the outermost: tensor
/// ranks, which talk most, are on one node; stages, which talk least, are far apart.
enum class MeshAxis : std::uint8_t { tensor, data, pipeline };
inline constexpr std::size_t mesh_axes = 3;

Coordinates coordinates_of(const ParallelPlan& plan, int rank);
int rank_at(const ParallelPlan& plan, const Coordinates& at);

/// Which ranks act together. Every rank is in exactly one group of each kind.
enum class GroupKind : std::uint8_t {
    world,     ///< all
    data,      ///< the replicas of one part of the model
    tensor,    ///< those that share the layers of one stage
    pipeline,  ///< the stages of one replica, in order
    tied,      ///< the first and the last stage, which both hold the token embedding; others alone
};
inline constexpr std::size_t group_kinds = 5;

std::string to_string(GroupKind kind);

/// The members of a group, in ascending order, without a list of them: ranks at equal distances
/// along each of the axes that the group extends over.
class RankGroup {
  public:
    /// The rank's group.
    RankGroup(const ParallelPlan& plan, GroupKind kind, int rank);

    int size() const;
    /// The lowest rank, by which the group can be told from others of its kind.
    int first() const { return first_; }
    /// Member `index`, from 0 to size() - 1.
    int rank(int index) const;
    /// Which member `rank` is; it must be one.
    int index_of(int rank) const;
    std::vector<int> members() const;

  private:
    /// So many members, so many ranks apart, along one axis.
    struct Extent {
        int size = 1;
        int stride = 1;
    };

    std::array<Extent, mesh_axes> extents_;
    int first_;
};

}  // namespace shardstone::reference
