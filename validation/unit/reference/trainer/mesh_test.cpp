// SPDX-License-Identifier: BSD-3-Clause
// Parallel plans are laid out as groups of ranks.
#include "reference/step/mesh.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace shardstone::validation {
namespace {

using namespace reference;

TEST(Mesh, PutsTensorRanksNextToEachOther) {
    const ParallelPlan plan{2, 3, 2};
    for (int rank = 0; rank < plan.ranks(); ++rank) {
        EXPECT_EQ(rank_at(plan, coordinates_of(plan, rank)), rank);
    }
    EXPECT_EQ(coordinates_of(plan, 10), (Coordinates{.data = 1, .tensor = 1, .pipeline = 1}));
    using Ranks = std::vector<int>;
    const auto members = [](const ParallelPlan& of, GroupKind kind, int rank) {
        return RankGroup(of, kind, rank).members();
    };
    EXPECT_EQ(members(plan, GroupKind::tensor, 10), (Ranks{9, 10, 11}));
    EXPECT_EQ(members(plan, GroupKind::data, 10), (Ranks{7, 10}));
    EXPECT_EQ(members(plan, GroupKind::pipeline, 10), (Ranks{4, 10}));
    EXPECT_EQ(members(plan, GroupKind::world, 10), (Ranks{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}));
    EXPECT_EQ(members({2, 2, 3}, GroupKind::tied, 9), (Ranks{1, 9}));
    EXPECT_EQ(members({1, 1, 3}, GroupKind::tied, 1), (Ranks{1}));
    // Context ranks lie between tensor ranks and replicas, and sum gradients with these.
    const ParallelPlan with_context = parse_plan("dp=2,tp=2,cp=3");
    EXPECT_EQ(members(with_context, GroupKind{{"context"}}, 3), (Ranks{1, 3, 5}));
    EXPECT_EQ(members(with_context, GroupKind::data, 3), (Ranks{1, 3, 5, 7, 9, 11}));
    EXPECT_EQ(replicas(with_context), 6);
    EXPECT_EQ(batch_shares(with_context), 2);
}

/// Expert ranks lie between context ranks and replicas, take sequences of their own, and sum with
/// these the gradients of all but experts.
TEST(Mesh, PutsExpertRanksInsideReplicas) {
    const ParallelPlan plan = parse_plan("dp=2,ep=3,tp=2,cp=2,pp=2");
    const Coordinates at{.data = 1, .tensor = 1, .pipeline = 1, .context = 0, .expert = 2};
    EXPECT_EQ(rank_at(plan, at), 1 + 2 * (0 + 2 * (2 + 3 * (1 + 2 * 1))));
    for (int rank = 0; rank < plan.ranks(); ++rank) {
        EXPECT_EQ(rank_at(plan, coordinates_of(plan, rank)), rank);
    }
    using Ranks = std::vector<int>;
    const auto members = [&](const GroupKind& kind, int rank) {
        return RankGroup(plan, kind, rank).members();
    };
    // Ranks of stage 0: tensor place + 2 * (context + 2 * (expert + 3 * data)).
    EXPECT_EQ(members(GroupKind{{"expert"}}, 7), (Ranks{3, 7, 11}));
    EXPECT_EQ(members(GroupKind::expert_data, 7), (Ranks{5, 7, 17, 19}));
    EXPECT_EQ(members(GroupKind::data, 7), (Ranks{1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23}));
    EXPECT_EQ(members(GroupKind{{"context"}}, 7), (Ranks{5, 7}));
    EXPECT_EQ(members(GroupKind::tensor, 7), (Ranks{6, 7}));
    EXPECT_EQ(members(GroupKind::pipeline, 7), (Ranks{7, 31}));
    EXPECT_EQ(to_string(GroupKind{{"expert"}}), "expert");
    EXPECT_EQ(to_string(GroupKind::expert_data), "expert data");
    EXPECT_EQ(replicas(plan), 12);
    EXPECT_EQ(batch_shares(plan), 6);
    EXPECT_EQ(batch_share_of(plan, at), 2 + 3 * 1);
}

/// Messages of stages and exchanges whose lengths vary have tags of their own; sums of gradients
/// share theirs.
TEST(Mesh, GroupsOfExpertsAndStagesAreAlone) {
    for (const GroupKind& kind : group_kinds()) {
        const bool expected = kind == GroupKind{{"expert"}} || kind == GroupKind::pipeline;
        EXPECT_EQ(is_alone(kind), expected) << to_string(kind);
    }
}

TEST(Mesh, SizesAndPlacesAreThoseOfTheGroups) {
    for (const char* text : {"dp=1", "dp=2,ep=3,tp=2,cp=2,pp=2", "ep=4,pp=2", "dp=3,ep=2"}) {
        const ParallelPlan plan = parse_plan(text);
        for (const GroupKind& kind : group_kinds()) {
            if (kind.ends_only()) continue;
            for (int rank = 0; rank < plan.ranks(); ++rank) {
                const RankGroup group(plan, kind, rank);
                EXPECT_EQ(size_of(plan, kind), group.size()) << text << " " << to_string(kind);
                EXPECT_EQ(place_of(plan, kind, coordinates_of(plan, rank)), group.index_of(rank))
                    << text << " " << to_string(kind) << " rank " << rank;
            }
        }
    }
}

/// Whatever the plan: groups of a kind are disjoint, have every rank, and their members agree on
/// which they are.
TEST(Mesh, GroupsPartitionTheRanks) {
    for (const ParallelPlan plan : {ParallelPlan{1},
                                    {5},
                                    {2, 3, 4},
                                    {3, 1, 2},
                                    {1, 4, 3},
                                    {4, 2, 1},
                                    parse_plan("dp=2,tp=3,cp=2,pp=2"),
                                    parse_plan("dp=2,ep=3,tp=2,cp=2,pp=2")}) {
        for (const GroupKind& kind : group_kinds()) {
            std::vector<int> seen(static_cast<std::size_t>(plan.ranks()));
            for (int rank = 0; rank < plan.ranks(); ++rank) {
                const RankGroup group(plan, kind, rank);
                const auto members = group.members();
                EXPECT_TRUE(std::ranges::is_sorted(members));
                EXPECT_EQ(group.first(), members.front());
                EXPECT_EQ(group.rank(group.index_of(rank)), rank);
                for (int index = 0; index < group.size(); ++index) {
                    const int member = group.rank(index);
                    EXPECT_EQ(group.index_of(member), index);
                    EXPECT_EQ(RankGroup(plan, kind, member).members(), members);
                }
                if (group.first() == rank) {
                    for (const int member : members) ++seen[static_cast<std::size_t>(member)];
                }
            }
            EXPECT_EQ(seen, std::vector<int>(seen.size(), 1))
                << to_string(plan) << ", kind " << to_string(kind);
        }
    }
}

}  // namespace
}  // namespace shardstone::validation
