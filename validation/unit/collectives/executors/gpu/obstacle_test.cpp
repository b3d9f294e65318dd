// SPDX-License-Identifier: BSD-3-Clause
// Who may run algorithms on GPUs: told in one line before anything starts, and left out of all.
#include "collectives/executors/gpu/obstacle.hpp"

#include <gtest/gtest.h>

#include <array>

#include "benchmarks/collectives/sweep/plan.hpp"
#include "collectives/executors/collective.hpp"
#include "collectives/operation/algorithm.hpp"
#include "validation/unit/mpi_test_main.hpp"

namespace shardstone::validation {
namespace {

using namespace shardstone::collectives;

DeviceOfRank gpu(const char* uuid) {
    return {"node7", uuid, {}, 2};
}

TEST(Obstacle, OneGpuToARankIsNone) {
    EXPECT_EQ(missing_gpu(std::array{gpu("a"), gpu("b")}), "");
    EXPECT_EQ(shared_gpu(std::array{gpu("a"), gpu("b")}), "");
}

TEST(Obstacle, NamesWhoSharesAGpu) {
    const std::array ranks{gpu("a"), gpu("b"), gpu("a")};
    const auto line = shared_gpu(ranks);
    EXPECT_EQ(missing_gpu(ranks), "");
    EXPECT_NE(line.find("ranks 0 and 2 on node7 would share a GPU"), std::string::npos) << line;
    EXPECT_NE(line.find("at most 2 rank"), std::string::npos) << line;
}

TEST(Obstacle, NamesWhoHasNone) {
    const DeviceOfRank none{"node8", {}, "no CUDA-capable device is detected", 0};
    const std::array ranks{gpu("a"), none, none};
    const auto line = missing_gpu(ranks);
    EXPECT_EQ(shared_gpu(ranks), "");
    EXPECT_NE(line.find("no NVIDIA GPU was found by rank 1 on node8 (no CUDA-capable"),
              std::string::npos)
        << line;
}

TEST(Obstacle, NamesWhoIsOnAnotherHost) {
    EXPECT_EQ(several_hosts(std::array{gpu("a"), gpu("b")}), "");
    const std::array ranks{gpu("a"), gpu("b"), DeviceOfRank{"node8", "c", {}, 2}};
    const auto line = several_hosts(ranks);
    EXPECT_NE(line.find("ranks 0 and 2 are on different hosts, node7 and node8"), std::string::npos)
        << line;
    EXPECT_NE(line.find("give over_pinned"), std::string::npos) << line;
}

TEST(Obstacle, NamesWhoseMemoryIsClosed) {
    const std::array ranks{gpu("a"), gpu("b"), gpu("c")};
    const auto line_where = [&](Access access_to_b) {
        return closed_gpu(ranks, 2, [=](const DeviceOfRank& other) {
            return other.uuid == "b" ? access_to_b : Access::open;
        });
    };
    EXPECT_EQ(line_where(Access::open), "");
    const auto closed = line_where(Access::closed);
    EXPECT_NE(closed.find("the GPU of rank 2 on node7 has no peer access to that of rank 1: give "
                          "over_pinned"),
              std::string::npos)
        << closed;
    const auto unseen = line_where(Access::unseen);
    EXPECT_NE(unseen.find("rank 2 on node7 does not see the GPU of rank 1"), std::string::npos)
        << unseen;
    EXPECT_NE(unseen.find("CUDA_VISIBLE_DEVICES"), std::string::npos) << unseen;
}

TEST(Obstacle, TextsKeepIt) {
    const DeviceOfRank none{"node8", {}, "not there", 3};
    const DeviceOfRank same = parse_device_of_rank(to_text(none));
    EXPECT_EQ(same.node, none.node);
    EXPECT_EQ(same.uuid, none.uuid);
    EXPECT_EQ(same.why_none, none.why_none);
    EXPECT_EQ(same.visible, none.visible);
}

std::string refusal_of(const std::string& name) {
    try {
        Collective(world(), "all_reduce", name, {{1, ElementType::fp32, Reduction::sum}, 0, {}});
    } catch (const AgreedError& error) {
        return error.what();
    }
    return {};
}

/// The line with which a sweep over one algorithm would end.
std::string sweep_refusal_of(const std::string& name) {
    benchmarks::SweepOptions options;
    options.algorithms = {name};
    benchmarks::SweepPlan plan;
    const Operation& all_reduce = find_operation("all_reduce");
    plan.operations.push_back({&all_reduce, {find_algorithm(all_reduce, name)}, {true}});
    try {
        EXPECT_EQ(benchmarks::leave_out_impossible(options, world(), plan), "");
    } catch (const AgreedError& error) {
        return error.what();
    }
    return {};
}

// Whatever this build and this machine have: what cannot run says why, equally on all ranks, before
// a sweep begins and where it is made.
TEST(Obstacle, ConditionalAlgorithmsSayWhyTheyCannotRun) {
    for (const auto& name : conditional_algorithms_for("all_reduce")) {
        const std::string why = find_algorithm("all_reduce", name).obstacle(world());
        EXPECT_EQ(why.find('\n'), std::string::npos);
        EXPECT_EQ(refusal_of(name), why);
        EXPECT_EQ(sweep_refusal_of(name), why.empty() ? "" : "--algorithm " + name + ": " + why);
    }
    EXPECT_EQ(sweep_refusal_of("ring"), "");
}

// "all" is what can run; where nothing can, it says why.
TEST(Obstacle, ASweepOfAllLeavesOutWhatCannotRun) {
    Algorithm never = find_algorithm("all_reduce", "ring");
    never.name = "never";
    never.obstacle = [](Communicator&) { return "there is no such wire"; };
    benchmarks::SweepPlan plan;
    const Operation& all_reduce = find_operation("all_reduce");
    plan.operations.push_back({&all_reduce, {never, find_algorithm(all_reduce, "ring")}, {true}});
    EXPECT_EQ(benchmarks::leave_out_impossible({}, world(), plan),
              "# left out: never: there is no such wire\n");
    EXPECT_EQ(benchmarks::names_of(plan.operations.front().algorithms),
              std::vector<std::string>{"ring"});
    plan.operations.front().algorithms = {never};
    EXPECT_THROW(benchmarks::leave_out_impossible({}, world(), plan), AgreedError);
}

TEST(Obstacle, ConditionalAlgorithmsAreThoseThatMayHaveOne) {
    for (const auto& operation : operations()) {
        for (const auto& name : algorithms_for(operation)) {
            EXPECT_FALSE(find_algorithm(operation, name).obstacle) << operation << " " << name;
        }
        for (const auto& name : conditional_algorithms_for(operation)) {
            EXPECT_TRUE(find_algorithm(operation, name).obstacle) << operation << " " << name;
        }
    }
}

TEST(Obstacle, AllStandsForNoneThatMayHaveOne) {
    benchmarks::SweepOptions options;
    options.operations = {"all"};
    options.algorithms = {"all"};
    for (const auto& planned : benchmarks::plan_sweep(options).operations) {
        for (const auto& algorithm : planned.algorithms) {
            EXPECT_FALSE(algorithm.obstacle) << algorithm.name;
        }
    }
}

TEST(Obstacle, ThoseThatMayHaveOneCanBeNamed) {
    for (const auto& name : conditional_algorithms_for("all_reduce")) {
        benchmarks::SweepOptions options;
        options.algorithms = {name};
        options.device = "cuda";
        EXPECT_EQ(
            benchmarks::names_of(benchmarks::plan_sweep(options).operations.front().algorithms),
            std::vector<std::string>{name});
    }
}

}  // namespace
}  // namespace shardstone::validation
