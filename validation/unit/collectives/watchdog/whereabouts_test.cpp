// SPDX-License-Identifier: BSD-3-Clause
// What a process shows of what it does.
#include "kernels/base/whereabouts.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "kernels/base/failure_log.hpp"

namespace shardstone {
namespace {

TEST(Whereabouts, TellPhaseActionAndWait) {
    auto entry = std::make_unique<Whereabouts>();
    const NamedAction before("before it moved");
    keep_whereabouts_in(entry.get());
    enter_phase("point", 12);
    EXPECT_STREQ(entry->phase().data(), "point");
    EXPECT_EQ(entry->number(), 12);
    const NamedAction ring("all_reduce ring, 64 KiB");
    ring.begin();
    EXPECT_EQ(entry->action(), "all_reduce ring, 64 KiB");
    before.begin();
    EXPECT_EQ(entry->action(), "before it moved") << "names move along";
    EXPECT_FALSE(entry->is_waiting());
    whereabouts().waits("rank 3");
    EXPECT_TRUE(entry->is_waiting());
    EXPECT_EQ(entry->waits_for(), "rank 3");
    EXPECT_FALSE(entry->is_in_library());
    whereabouts().moved();
    EXPECT_FALSE(entry->is_waiting());
    EXPECT_EQ(entry->waits_for(), "");
    whereabouts().enters_library();
    EXPECT_TRUE(entry->is_in_library());
    const auto moves = entry->moves();
    enter_phase("writing");
    EXPECT_GT(entry->moves(), moves);
    EXPECT_FALSE(entry->is_in_library());
    EXPECT_EQ(entry->number(), -1);
    keep_whereabouts_in(nullptr);
    EXPECT_STREQ(whereabouts().phase().data(), "writing") << "they come back";
}

TEST(Whereabouts, LongTextsAreCut) {
    Whereabouts entry{};
    entry.waits(std::string(1000, 'x'));
    EXPECT_EQ(entry.waits_for(), std::string(256, 'x'));
    entry.waits("y");
    EXPECT_EQ(entry.waits_for(), "y") << "nothing of the last one is left";
}

TEST(Whereabouts, ZerosAreTheirInitialState) {
    const Whereabouts entry{};
    EXPECT_FALSE(entry.is_waiting());
    EXPECT_FALSE(entry.is_in_library());
    EXPECT_EQ(entry.number(), -1);
    EXPECT_EQ(entry.action(), "");
    EXPECT_EQ(entry.phase()[0], '\0');
}

TEST(Whereabouts, ActionsBeyondTheLastHaveNoNameAndPlacesAreUsedAgain) {
    for (int turn = 0; turn < 3; ++turn) {
        std::vector<NamedAction> many;
        for (std::size_t i = 0; i < 2 * Whereabouts::most_actions; ++i) {
            many.emplace_back("action " + std::to_string(i));
        }
        many.front().begin();
        EXPECT_EQ(whereabouts().action(), "action 0");
        many.back().begin();
        EXPECT_EQ(whereabouts().action(), "");
    }
}

}  // namespace
}  // namespace shardstone
