// SPDX-License-Identifier: BSD-3-Clause
// Ranks on the axes of a plan, and the groups that act together.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "reference/step/parallel_plan.hpp"

namespace shardstone::reference {

/// A rank's coordinate on every axis of a plan, each from 0.
struct Coordinates {
    int data = 0;
    int tensor = 0;
    int pipeline = 0;
    int context = 0;
    int expert = 0;

    bool operator==(const Coordinates&) const = default;
};

/// An axis of the mesh that the ranks of a plan form. A new one is a row of mesh_axes and a field
/// of plan and coordinates.
struct MeshAxis {
    std::string_view word;  ///< of a plan's text: "dp"
    std::string_view name;  ///< "data"
    int ParallelPlan::*size;
    int Coordinates::*place;
    /// Ranks along it hold the same part of the model except for experts, and gradients are summed
    /// over them.
    bool replicates = false;
    bool splits_batch = false;        ///< ranks along it take different sequences
    bool replicates_experts = false;  ///< as replicates, for experts
};

/// From the innermost, whose neighbours have consecutive ranks, to the outermost: tensor ranks,
/// which communicate most, are on one node; stages, which communicate least, are far apart.
inline constexpr std::array mesh_axes{
    MeshAxis{"tp", "tensor", &ParallelPlan::tensor, &Coordinates::tensor},
    MeshAxis{"cp", "context", &ParallelPlan::context, &Coordinates::context, true, false, true},
    MeshAxis{"ep", "expert", &ParallelPlan::expert, &Coordinates::expert, true, true},
    MeshAxis{"dp", "data", &ParallelPlan::data, &Coordinates::data, true, true, true},
    MeshAxis{"pp", "pipeline", &ParallelPlan::pipeline, &Coordinates::pipeline},
};

Coordinates coordinates_of(const ParallelPlan& plan, int rank);
int rank_at(const ParallelPlan& plan, const Coordinates& at);
/// The rank that is this stage of the rank's pipeline.
int rank_of_stage(const ParallelPlan& plan, int rank, int stage);

/// A kind of groups of ranks: the members of a group differ only in their coordinates on some axes.
/// Every rank is in exactly one group of each kind. Two bytes, since programs contain many of them;
/// names are registered.
class GroupKind {
  public:
    /// Groups along the axes of these names; `ends_only`: the first and the last rank along them,
    /// the others each alone.
    constexpr GroupKind(std::initializer_list<std::string_view> axes, bool ends_only = false)
        : ends_only_(ends_only) {
        for (std::size_t i = 0; i < mesh_axes.size(); ++i) {
            for (const std::string_view axis : axes) add(i, axis == mesh_axes[i].name);
        }
    }
    /// Groups along the axes that have a flag set.
    explicit constexpr GroupKind(bool MeshAxis::*flag) {
        for (std::size_t i = 0; i < mesh_axes.size(); ++i) add(i, mesh_axes[i].*flag);
    }

    static const GroupKind world;        ///< all
    static const GroupKind data;         ///< the replicas of one part of the model, except experts
    static const GroupKind expert_data;  ///< the replicas of the same experts
    static const GroupKind tensor;       ///< those that share the layers of one stage
    static const GroupKind pipeline;     ///< the stages of one replica, in order
    /// The first and the last stage, which both hold the token embedding.
    static const GroupKind tied;

    constexpr bool extends_over(std::size_t axis) const { return (axes_ >> axis & 1U) != 0; }
    constexpr bool ends_only() const { return ends_only_; }

    constexpr auto operator<=>(const GroupKind&) const = default;

  private:
    constexpr GroupKind() = default;
    static constexpr GroupKind all() {
        GroupKind kind;
        for (std::size_t i = 0; i < mesh_axes.size(); ++i) kind.add(i, true);
        return kind;
    }
    constexpr void add(std::size_t axis, bool belongs) {
        if (belongs) axes_ = static_cast<std::uint8_t>(axes_ | 1U << axis);
    }

    std::uint8_t axes_ = 0;
    bool ends_only_ = false;
};

inline constexpr GroupKind GroupKind::world = GroupKind::all();
inline constexpr GroupKind GroupKind::data{&MeshAxis::replicates};
inline constexpr GroupKind GroupKind::expert_data{&MeshAxis::replicates_experts};
inline constexpr GroupKind GroupKind::tensor{{"tensor"}};
inline constexpr GroupKind GroupKind::pipeline{{"pipeline"}};
inline constexpr GroupKind GroupKind::tied{{"pipeline"}, true};

/// Size of each group of a kind that is not of ends only, and the index of a rank in its group
/// (RankGroup::index_of).
int size_of(const ParallelPlan& plan, const GroupKind& kind);
int place_of(const ParallelPlan& plan, const GroupKind& kind, const Coordinates& at);

/// Number of ranks that hold the same part of the model, except experts.
int replicas(const ParallelPlan& plan);
/// Number of shares of the global batch, and the share of a rank.
int batch_shares(const ParallelPlan& plan);
int batch_share_of(const ParallelPlan& plan, const Coordinates& at);

/// Registered name.
std::string to_string(const GroupKind& kind);

/// Adds a kind to group_kinds(), at namespace scope in the file of a strategy that needs it.
/// `alone`: its groups may not share a communicator with others, even of the same ranks.
struct GroupKindRegistration {
    GroupKindRegistration(const GroupKind& kind, std::string name, bool alone = false);
};
bool is_alone(const GroupKind& kind);
/// All kinds that step programs may use.
const std::vector<GroupKind>& group_kinds();
/// Index of a kind among them.
std::size_t index_of(const GroupKind& kind);

/// One value for each of group_kinds(), in their order.
template <class T>
class PerGroup {
  public:
    T& operator[](const GroupKind& kind) { return all_[index_of(kind)]; }
    const T& operator[](const GroupKind& kind) const { return all_[index_of(kind)]; }
    auto begin() { return all_.begin(); }
    auto end() { return all_.end(); }
    auto begin() const { return all_.begin(); }
    auto end() const { return all_.end(); }

  private:
    std::vector<T> all_ = std::vector<T>(group_kinds().size());
};

/// The members of a group in ascending order, without a stored list: ranks at equal distances along
/// each axis that the group extends over.
class RankGroup {
  public:
    /// The rank's group.
    RankGroup(const ParallelPlan& plan, const GroupKind& kind, int rank);

    int size() const;
    /// The lowest rank, which identifies the group among those of its kind.
    int first() const { return first_; }
    /// Member `index`, from 0 to size() - 1.
    int rank(int index) const;
    /// Index of `rank`, which must be a member.
    int index_of(int rank) const;
    std::vector<int> members() const;

  private:
    /// Number of members along one axis, and the distance between their ranks.
    struct Extent {
        int size = 1;
        int stride = 1;
    };

    std::array<Extent, mesh_axes.size()> extents_;
    int first_;
};

}  // namespace shardstone::reference
