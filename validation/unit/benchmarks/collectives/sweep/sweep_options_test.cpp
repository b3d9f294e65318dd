// SPDX-License-Identifier: BSD-3-Clause
// Bad input to the sweep: each refused before anything runs, naming the value.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "benchmarks/collectives/sweep/plan.hpp"
#include "collectives/operation/algorithm.hpp"

namespace shardstone::validation {
namespace {

using namespace shardstone::benchmarks;

TEST(SweepOptions, AllLeavesOutWhatCannotReachOtherNodes) {
    const auto planned = [](std::vector<std::string> words, int ranks_per_node) {
        SweepOptions options;
        options.algorithms = std::move(words);
        SweepPlan plan = plan_sweep(options);
        fit_plan(options, collectives::Topology::blocked(4, ranks_per_node), plan);
        return names_of(plan.operations.front().algorithms);
    };
    const auto has = [](const std::vector<std::string>& names, const char* name) {
        return std::ranges::find(names, name) != names.end();
    };
    EXPECT_TRUE(has(planned({"all"}, 4), "shared_memory"));
    EXPECT_FALSE(has(planned({"all"}, 2), "shared_memory"));
    EXPECT_TRUE(has(planned({"all"}, 2), "ring"));
    EXPECT_TRUE(has(planned({"shared_memory"}, 2), "shared_memory"));
}

TEST(SweepOptionsOf, TheIssuesCommandMeansWhatItSays) {
    SweepOptions options;
    options.factor = 8;
    const SweepPlan plan = plan_sweep(options);
    EXPECT_EQ(plan.sizes_bytes,
              (std::vector<std::int64_t>{4, 32, 256, 2048, 16384, 131072, 1048576}));
    ASSERT_EQ(plan.operations.size(), 1U);
    EXPECT_EQ(names_of(plan.operations.front().algorithms),
              collectives::algorithms_for("all_reduce"));
    EXPECT_EQ(plan.operations.front().in_place, std::vector<bool>{true});
}

TEST(SweepOptions, AllOperationsWithANameThatSomeHave) {
    SweepOptions options;
    options.operations = {"all"};
    options.algorithms = {"ring"};
    std::vector<std::string> with_a_ring;
    for (const OperationPlan& planned : plan_sweep(options).operations) {
        with_a_ring.push_back(planned.operation->name);
        EXPECT_EQ(names_of(planned.algorithms), std::vector<std::string>{"ring"});
    }
    EXPECT_GE(with_a_ring.size(), 3U);
    EXPECT_EQ(std::ranges::find(with_a_ring, "ping_pong"), with_a_ring.end());
}

// Many operations have algorithms over shared memory, but not of a ring.
TEST(SweepOptions, AllOperationsWithANameOfAFamilyThatMoreHave) {
    SweepOptions options;
    options.operations = {"all"};
    options.algorithms = {"over_shared_memory:ring"};
    std::vector<std::string> chosen;
    for (const OperationPlan& planned : plan_sweep(options).operations) {
        chosen.push_back(planned.operation->name);
    }
    EXPECT_EQ(chosen, (std::vector<std::string>{"all_gather", "all_reduce", "reduce_scatter"}));
}

TEST(SweepOptions, SizesAreRoundedToWholeSharesAndRunOnce) {
    SweepOptions options;
    options.operations = {"all_gather"};
    options.smallest = "4";
    options.largest = "64";
    options.factor = 2;
    const SweepPlan plan = plan_sweep(options);
    // Elements in 3 equal shares, to the nearest: of 1, 2, 4, 8 and 16 the first three are one.
    EXPECT_EQ(counts_of(plan, plan.operations.front(), 3), (std::vector<std::int64_t>{3, 9, 15}));
}

struct BadInput {
    const char* name;
    std::function<void(SweepOptions&)> spoil;
    const char* named;
};

class Refused : public testing::TestWithParam<BadInput> {};

TEST_P(Refused, InOneLineThatNamesTheValue) {
    SweepOptions options;
    GetParam().spoil(options);
    try {
        SweepPlan plan = plan_sweep(options);
        fit_plan(options, collectives::Topology::one_node(2), plan);
        FAIL() << "accepted";
    } catch (const Error& error) {
        const std::string what = error.what();
        EXPECT_NE(what.find(GetParam().named), std::string::npos) << what;
        EXPECT_EQ(what.find('\n'), std::string::npos) << what;
    }
}

using O = SweepOptions;
INSTANTIATE_TEST_SUITE_P(
    BadInput, Refused,
    testing::Values(
        BadInput{"op", [](O& o) { o.operations = {"all_together"}; }, "all_together"},
        BadInput{"algorithm", [](O& o) { o.algorithms = {"rnig"}; }, "'rnig'"},
        BadInput{"algorithm_of_none",
                 [](O& o) {
                     o.operations = {"all"};
                     o.algorithms = {"ring", "rnig"};
                 },
                 "--algorithm rnig: none of"},
        BadInput{"wrong_for_all_that_know_it",
                 [](O& o) {
                     o.operations = {"all"};
                     o.algorithms = {"ring", "over_shared_memory:mpi"};
                 },
                 "'mpi' has no messages"},
        BadInput{"operation_left_with_none",
                 [](O& o) {
                     o.operations = {"all_reduce", "reduce"};
                     o.algorithms = {"over_shared_memory:ring"};
                 },
                 "reduce has none of these"},
        BadInput{"half_a_hierarchy", [](O& o) { o.algorithms = {"hierarchical:ring"}; },
                 "hierarchical:ring: name two levels"},
        BadInput{"hierarchy_of_mpi", [](O& o) { o.algorithms = {"hierarchical:ring/mpi"}; },
                 "mpi has no schedule"},
        BadInput{"bare_hierarchy", [](O& o) { o.algorithms = {"hierarchical"}; }, "INNER/OUTER"},
        BadInput{"no_algorithm", [](O& o) { o.algorithms.clear(); }, "--algorithm"},
        BadInput{"type", [](O& o) { o.type = "fp12"; }, "'fp12'"},
        BadInput{"reduction", [](O& o) { o.reduction = "prod"; }, "'prod'"},
        BadInput{"not_whole_elements", [](O& o) { o.smallest = "6"; }, "-b 6: not a multiple"},
        BadInput{"zero", [](O& o) { o.smallest = "0"; }, "-b 0"},
        BadInput{"not_a_size", [](O& o) { o.largest = "4X"; }, "'4X'"},
        BadInput{"wrong_way_round", [](O& o) { o.smallest = "8M"; }, "-b 8M is more than -e 4M"},
        BadInput{"factor", [](O& o) { o.factor = 1; }, "-f 1"},
        BadInput{"too_few_samples", [](O& o) { o.iterations = 3; }, "-n 3: too few samples"},
        BadInput{"negative", [](O& o) { o.iterations = -1; }, "-n -1"},
        BadInput{"no_time", [](O& o) { o.seconds_per_point = 0.0; }, "--seconds 0"},
        BadInput{"in_place", [](O& o) { o.in_place = "maybe"; }, "--in-place maybe"},
        BadInput{"shares", [](O& o) { o.shares = "odd"; }, "--shares odd"},
        BadInput{"shares_of_none", [](O& o) { o.shares = "ramp"; }, "--shares ramp"},
        BadInput{"rotation", [](O& o) { o.rotate = "3x"; }, "--rotate 3x"},
        BadInput{"root", [](O& o) { o.root = -1; }, "--root -1"},
        BadInput{"root_of_none", [](O& o) { o.root = 1; }, "--root 1"},
        BadInput{"ranks_per_node", [](O& o) { o.ranks_per_node = -2; }, "--ranks-per-node -2"},
        BadInput{"memory", [](O& o) { o.largest = "4096T"; }, "-e 4096T"}),
    [](const auto& test) { return std::string(test.param.name); });

TEST(Memory, OfANodeIsSharedByItsRanks) {
    const AvailableMemory memory{MemoryLimit{600 << 20, "a limit"}, {}};
    EXPECT_NO_THROW(require_memory("-e", 100 << 20, 2, memory));
    EXPECT_NO_THROW(require_memory("-e", std::int64_t{1} << 50, 2, AvailableMemory{}));
    try {
        require_memory("-e", 100 << 20, 3, memory);
        FAIL() << "nine times a sixth fits into one memory";
    } catch (const Error& error) {
        const std::string message = error.what();
        EXPECT_NE(message.find("scratch of 3 ranks"), std::string::npos) << message;
        EXPECT_NE(message.find("(a limit): give at most 66M"), std::string::npos) << message;
    }
}

}  // namespace
}  // namespace shardstone::validation
