// SPDX-License-Identifier: BSD-3-Clause
#pragma once

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

/// Ranks are numbered with the tensor axis innermost, then data, then pipeline: the tensor ranks,
/// which talk most, are neighbours and so on one node; stages, which talk least, are far apart.
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

/// The members of the rank's group, in ascending order.
std::vector<int> group_of(const ParallelPlan& plan, GroupKind kind, int rank);

}  // namespace shardstone::reference
