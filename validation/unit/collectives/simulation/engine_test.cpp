// SPDX-License-Identifier: BSD-3-Clause
// The rules of the event engine one by one, on schedules of a few messages.
#include "collectives/simulation/engine.hpp"

#include <gtest/gtest.h>

#include "collectives/operation/algorithm.hpp"

namespace shardstone::validation {
namespace {

using namespace shardstone::collectives;

constexpr double alpha_s = 1e-6;
constexpr double block_bytes = 1 << 20;
constexpr double gb = 1e9;

ClusterDescription cluster(int nodes, int ranks_per_node) {
    ClusterDescription described;
    described.name = "test";
    described.nodes = nodes;
    described.ranks_per_node = ranks_per_node;
    described.intra_node = {alpha_s, 100.0, {}, {}, ""};
    described.inter_node = {alpha_s, 10.0, {}, {}, ""};
    described.reduction.rate_gb_s = 1000.0;
    return described;
}

constexpr double inside_s = block_bytes / (100.0 * gb);
constexpr double between_s = block_bytes / (10.0 * gb);

/// Of a vector of `count` FP32.
BlockLayout layout_of(const RankProgram& program, std::int64_t count) {
    const CollectiveSpec spec{{count, ElementType::fp32, Reduction::sum}, 0, {}};
    return {spec, Sharing::whole, program.channels, 1};
}

/// Plays programs over `blocks` blocks of block_bytes each.
Simulated played(std::vector<RankProgramBuilder> builders, const ClusterDescription& described) {
    StepLists lists(described.ranks());
    for (RankProgramBuilder& builder : builders) {
        const RankProgram program = builder.build();
        const auto count = static_cast<std::int64_t>(block_bytes) * program.blocks() / 4;
        lists.append(program, layout_of(program, count), 4);
    }
    lists.close();
    return play(lists, Fabric(described, described.ranks()));
}

std::vector<RankProgramBuilder> programs(int ranks, int blocks) {
    return std::vector<RankProgramBuilder>(static_cast<std::size_t>(ranks),
                                           RankProgramBuilder(blocks));
}

void expect_time(const Simulated& simulated, double time_s) {
    EXPECT_NEAR(simulated.time_s, time_s, 1e-12 * time_s);
}

TEST(Engine, PiecesOfOneStepAreOneMessage) {
    auto two = programs(2, 3);
    for (const int block : {0, 2}) {
        two[0].send(0, 1, {block, 1});
        two[1].receive_replace(0, 0, {block, 1});
    }
    const Simulated simulated = played(two, cluster(1, 2));
    expect_time(simulated, alpha_s + 2 * inside_s);
    EXPECT_EQ(simulated.messages, 1.0);
}

/// What a collective takes besides its messages: over several nodes, the more of the two.
TEST(Engine, StartsWithWhatACollectiveTakesAtItsStart) {
    const auto time_s = [](int nodes, int ranks_per_node) {
        auto two = programs(2, 1);
        two[0].send(0, 1, {0, 1});
        two[1].receive_replace(0, 0, {0, 1});
        ClusterDescription described = cluster(nodes, ranks_per_node);
        described.intra_node.start_s = 7e-6;
        described.inter_node.start_s = 9e-6;
        return played(two, described).time_s;
    };
    EXPECT_NEAR(time_s(1, 2), 7e-6 + alpha_s + inside_s, 1e-12 * inside_s);
    EXPECT_NEAR(time_s(2, 1), 9e-6 + alpha_s + between_s, 1e-12 * between_s);
}

TEST(Engine, PiecesOfTwoStepsOrTwoDirectionsAreTwoMessages) {
    auto two = programs(2, 2);
    two[0].send(0, 1, {0, 1});
    two[1].receive_replace(0, 0, {0, 1});
    two[1].send(0, 0, {1, 1});
    two[0].receive_replace(0, 1, {1, 1});
    two[0].send(1, 1, {0, 1});
    two[1].receive_replace(1, 0, {0, 1});
    const Simulated simulated = played(two, cluster(1, 2));
    expect_time(simulated, 2 * (alpha_s + inside_s));
    EXPECT_EQ(simulated.messages, 3.0);
}

TEST(Engine, OnlyWhatIsReducedTakesGamma) {
    auto two = programs(2, 2);
    two[0].send(0, 1, {0, 1});
    two[0].send(0, 1, {1, 1});
    two[1].receive_reduce(0, 0, {0, 1});
    two[1].receive_replace(0, 0, {1, 1});
    expect_time(played(two, cluster(1, 2)), alpha_s + 2 * inside_s + block_bytes / (1000.0 * gb));
}

/// Rank 1 passes on, in one step, the block into which it reduces; rank 2 takes it late, because
/// rank 3 comes first. The reduction waits for that send, and would not for another block's.
TEST(Engine, AReductionWaitsForTheSendOfItsBlocks) {
    const auto time_s = [](int passed_on) {
        auto line = programs(4, 3);
        line[0].send(1, 1, {0, 1});
        line[1].receive_reduce(1, 0, {0, 1});
        line[1].send(1, 2, {passed_on, 1});
        line[2].receive_replace(1, 1, {passed_on, 1});
        line[3].send(0, 2, {2, 1});
        line[2].receive_replace(0, 3, {2, 1});
        return played(line, cluster(1, 4)).time_s;
    };
    const double sent_s = 2 * (alpha_s + inside_s);
    EXPECT_NEAR(time_s(0), sent_s + block_bytes / (1000.0 * gb), 1e-12 * sent_s);
    EXPECT_NEAR(time_s(1), sent_s, 1e-12 * sent_s);
}

TEST(Engine, APortServesOneMessageAfterTheOther) {
    auto star = programs(4, 4);
    for (int leaf = 1; leaf < 4; ++leaf) {
        star[static_cast<std::size_t>(leaf)].send(0, 0, {leaf, 1});
        star[0].receive_replace(0, leaf, {leaf, 1});
    }
    expect_time(played(star, cluster(1, 4)), 3 * inside_s + alpha_s);
}

/// Ranks 0 and 1 of node 0 send to nodes 1 and 2: with a NIC for both each gets half of it.
std::vector<RankProgramBuilder> two_out_of_one_node() {
    auto all = programs(6, 2);
    for (const int lane : {0, 1}) {
        const int to = 2 * lane + 2;
        all[static_cast<std::size_t>(lane)].send(0, to, {lane, 1});
        all[static_cast<std::size_t>(to)].receive_replace(0, lane, {lane, 1});
    }
    return all;
}

TEST(Engine, RanksShareTheirNic) {
    ClusterDescription described = cluster(3, 2);
    expect_time(played(two_out_of_one_node(), described), alpha_s + between_s);
    described.nics = NicDescription{2, 10.0, NicAssignment::block, ""};
    expect_time(played(two_out_of_one_node(), described), alpha_s + between_s);
    described.nics->per_node = 1;
    expect_time(played(two_out_of_one_node(), described), alpha_s + 2 * between_s);
    described.nics->bandwidth_gb_s = 20.0;
    expect_time(played(two_out_of_one_node(), described), alpha_s + between_s);
}

/// One rank on four NICs sends as fast as all four; its own limit, of two of them, comes before.
TEST(Engine, SeveralNicsOfOneRankAddUp) {
    auto two = programs(2, 1);
    two[0].send(0, 1, {0, 1});
    two[1].receive_replace(0, 0, {0, 1});
    ClusterDescription described = cluster(2, 1);
    described.inter_node.bandwidth_gb_s = 40.0;
    described.nics = NicDescription{4, 10.0, NicAssignment::block, ""};
    const Simulated all = played(two, described);
    expect_time(all, alpha_s + block_bytes / (40.0 * gb));
    EXPECT_NEAR(all.of(LinkClass::inter_node).capacity_gb_s, 40.0, 1e-9);
    described.inter_node.bandwidth_gb_s = 20.0;
    expect_time(played(two, described), alpha_s + block_bytes / (20.0 * gb));
    described.inter_node.bandwidth_gb_s = 80.0;  // more than its NICs can
    expect_time(played(two, described), alpha_s + block_bytes / (40.0 * gb));
}

TEST(Engine, ANicThatIsFreeAgainGoesToTheOthers) {
    // Two blocks for the second rank: half rate while the first sends, full rate after.
    auto all = programs(6, 3);
    all[0].send(0, 2, {0, 1});
    all[2].receive_replace(0, 0, {0, 1});
    all[1].send(0, 4, {1, 2});
    all[4].receive_replace(0, 1, {1, 2});
    ClusterDescription described = cluster(3, 2);
    described.nics = NicDescription{1, 10.0, NicAssignment::block, ""};
    expect_time(played(all, described), alpha_s + 3 * between_s);
}

TEST(Engine, RoundRobinPutsNeighboursOnDifferentNics) {
    auto all = programs(8, 2);
    for (const int lane : {0, 1}) {
        all[static_cast<std::size_t>(lane)].send(0, 4 + lane, {lane, 1});
        all[static_cast<std::size_t>(4 + lane)].receive_replace(0, lane, {lane, 1});
    }
    ClusterDescription described = cluster(2, 4);
    described.nics = NicDescription{2, 10.0, NicAssignment::block, ""};
    expect_time(played(all, described), alpha_s + 2 * between_s);
    described.nics->assignment = NicAssignment::round_robin;
    expect_time(played(all, described), alpha_s + between_s);
}

TEST(Engine, CountsBytesByLinkClass) {
    ClusterDescription described = cluster(4, 2);
    described.fat_tree = FatTreeDescription{2, false, 2.0, 0.0, ""};
    auto all = programs(8, 3);
    const auto message = [&](int from, int to, int block) {
        all[static_cast<std::size_t>(from)].send(0, to, {block, 1});
        all[static_cast<std::size_t>(to)].receive_replace(0, from, {block, 1});
    };
    message(0, 1, 0);
    message(0, 2, 1);  // within a leaf
    message(0, 4, 2);  // across leaves
    const Simulated simulated = played(all, described);
    EXPECT_EQ(simulated.of(LinkClass::intra_node).bytes, block_bytes);
    EXPECT_EQ(simulated.of(LinkClass::inter_node).bytes, 2 * block_bytes);
    EXPECT_EQ(simulated.of(LinkClass::uplink).bytes, block_bytes);
    EXPECT_EQ(simulated.of(LinkClass::inter_node).busiest_bytes, 2 * block_bytes);
    EXPECT_NEAR(simulated.of(LinkClass::uplink).capacity_gb_s, 20.0, 1e-9);
    EXPECT_NEAR(simulated.rate_gb_s(LinkClass::inter_node), 2 * block_bytes / simulated.time_s / gb,
                1e-9);
}

/// Every byte that the programs send is counted once, on a cluster where everything is shared.
TEST(Engine, LosesNoBytesWhereAllIsShared) {
    ClusterDescription described = cluster(6, 4);
    described.nics = NicDescription{2, 10.0, NicAssignment::block, ""};
    described.fat_tree = FatTreeDescription{2, false, 3.0, 1e-6, ""};
    for (const char* name : {"ring", "rabenseifner", "double_binary_tree"}) {
        const auto schedule =
            make_schedule(find_algorithm("all_reduce", name), Topology::blocked(24, 4), 4);
        const BlockLayout layout = layout_of(schedule.programs.front(), 100'000);
        StepLists lists(24);
        double sent = 0.0;
        for (const RankProgram& program : schedule.programs) {
            lists.append(program, layout, 4);
            sent += static_cast<double>(elements_sent(program, layout, 0)) * 4;
        }
        lists.close();
        const Simulated simulated = play(lists, Fabric(described, 24));
        EXPECT_EQ(
            simulated.of(LinkClass::intra_node).bytes + simulated.of(LinkClass::inter_node).bytes,
            sent)
            << name;
    }
}

TEST(Engine, SharingOnlyCostsTime) {
    const auto tree = find_algorithm("all_reduce", "double_binary_tree");
    const auto time_s = [&](const ClusterDescription& described) {
        StepLists lists(32);
        for (int rank = 0; rank < 32; ++rank) {
            const RankProgram program = tree.program(Topology::blocked(32, 4), rank);
            lists.append(program, layout_of(program, 1 << 20), 4);
        }
        lists.close();
        return play(lists, Fabric(described, 32)).time_s;
    };
    ClusterDescription described = cluster(8, 4);
    const double alone = time_s(described);
    described.nics = NicDescription{2, 10.0, NicAssignment::block, ""};
    const double on_nics = time_s(described);
    described.fat_tree = FatTreeDescription{2, false, 8.0, 0.0, ""};
    EXPECT_GT(on_nics, alone);
    EXPECT_GT(time_s(described), on_nics);
}

TEST(Engine, SaysWhoWaitsForEver) {
    auto two = programs(2, 1);
    two[0].send(7, 1, {0, 1});
    try {
        played(two, cluster(1, 2));
        FAIL() << "played";
    } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find("rank 0 never completes channel 0, step 7"),
                  std::string::npos)
            << error.what();
    }
}

TEST(Engine, RefusesMoreRanksThanTheClusterHas) {
    EXPECT_THROW(Fabric(cluster(2, 2), 5), Error);
    EXPECT_THROW(Fabric(cluster(2, 2), 0), Error);
}

}  // namespace
}  // namespace shardstone::validation
