// SPDX-License-Identifier: BSD-3-Clause
// What lists have alike is held once, and so is what the step programs of a plan have alike.
#include "reference/step/shared_list.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "reference/step/pricing/fixed_costs.hpp"
#include "validation/unit/reference/step/plans.hpp"

namespace shardstone::validation {
namespace {

using namespace reference;
using List = SharedList<int>;

constexpr auto block = static_cast<int>(List::block_size);

std::vector<int> numbers(int count) {
    std::vector<int> all(static_cast<std::size_t>(count));
    std::iota(all.begin(), all.end(), 0);
    return all;
}

TEST(SharedList, HasWhatTheVectorHad) {
    for (const int count : {0, 1, block - 1, block, block + 1, 3 * block}) {
        const std::vector<int> all = numbers(count);
        const List list = all;
        EXPECT_EQ(list.size(), all.size());
        EXPECT_EQ(list.empty(), all.empty());
        EXPECT_EQ(std::vector<int>(list.begin(), list.end()), all) << count;
        for (std::size_t i = 0; i < all.size(); ++i) EXPECT_EQ(list[i], all[i]);
    }
}

TEST(SharedList, HoldsEqualBlocksOnce) {
    List::Pool pool;
    std::vector<int> other = numbers(3 * block);
    other[block] = -1;
    List a = numbers(3 * block);
    List b = other;
    a.share(pool);
    b.share(pool);
    EXPECT_EQ(&a[0], &b[0]);
    EXPECT_NE(&a[block], &b[block]);
    EXPECT_EQ(b[block], -1);
    EXPECT_EQ(&a[2 * block], &b[2 * block]);
}

TEST(SharedList, OutlivesThePoolAndOtherLists) {
    List a;
    {
        List::Pool pool;
        List b = numbers(block);
        b.share(pool);
        a = b;
    }
    EXPECT_EQ(a[block - 1], block - 1);
}

/// Distinct blocks of all ranks.
template <class T>
std::size_t distinct_blocks(const std::vector<SharedList<T>>& lists) {
    std::set<const T*> blocks;
    for (const auto& list : lists) {
        for (std::size_t i = 0; i < list.size(); i += list.block_size) blocks.insert(&list[i]);
    }
    return blocks.size();
}

std::vector<SharedList<Action>> actions_of(const StepSpec& spec) {
    std::vector<SharedList<Action>> actions;
    for (const StepProgram& program : step_programs(spec)) actions.push_back(program.actions);
    return actions;
}

/// Sequences, peers and, under ZeRO, shares of the tied embedding tell replicas apart; all but the
/// last, which come at the end of the step, are the same when a rank says them of itself.
TEST(StepPrograms, HoldWhatReplicasHaveAlikeOnce) {
    for (const char* choice : {"pp=2", "tp=2,pp=2,sp=1", "cp=2,pp=2", "pp=2,zero=2", "zero=3"}) {
        const auto plan = [&](const char* replicas) {
            return parse_plan(std::string(replicas) + "," + choice);
        };
        const auto of_two = actions_of(small_spec(plan("dp=2"), 8, 96));
        const auto of_eight = actions_of(small_spec(plan("dp=8"), 8, 96));
        EXPECT_GT(of_two.front().size(), 4 * SharedList<Action>::block_size);
        const std::size_t of_own = of_eight.size();  // at most the last block of each rank
        EXPECT_LE(distinct_blocks(of_eight), distinct_blocks(of_two) + of_own) << choice;
    }
}

TEST(Timeline, HoldsWhatReplicasDoAtTheSameTimeOnce) {
    const StepSpec spec = small_spec(parse_plan("dp=8,pp=2"), 8, 24);
    const auto spans =
        run_in_virtual_time(spec.plan, step_programs(spec), FixedCosts(1, 1, 1)).spans;
    const std::size_t all = spans.size() * (spans.front().size() / spans.front().block_size + 1);
    EXPECT_LE(4 * distinct_blocks(spans), all);
}

}  // namespace
}  // namespace shardstone::validation
