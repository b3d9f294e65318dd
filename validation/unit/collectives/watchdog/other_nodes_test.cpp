// SPDX-License-Identifier: BSD-3-Clause
// What a watchdog knows of other nodes: of none where there is one, of several what notices say.
// (Real nodes: validation/cluster/stalls.)
#include "collectives/watchdog/other_nodes.hpp"

#include <gtest/gtest.h>

#include <deque>
#include <limits>
#include <memory>

#include "validation/unit/mpi_test_main.hpp"

namespace shardstone::collectives {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

TEST(OtherNodes, OneNodeHasNoneToBeSilent) {
    const Communicator& world = validation::world();
    OtherNodes others(world.rank(), world.found_topology(), NodeChannel::open(world), 1.0);
    for (int look = 0; look < 100; ++look) EXPECT_FALSE(others.hear(0.25));
    EXPECT_FALSE(others.silent());
    EXPECT_EQ(others.standing_s(), infinite);
    EXPECT_TRUE(others.are_all_above());
    EXPECT_FALSE(others.are_heard());
    others.tell(0.0, "");
    others.say_that_all_left();
    EXPECT_EQ(others.collect_waiters("own"), "");
}

/// Gives what a test has put in; what is sent is lost.
class FedChannel : public NodeChannel {
  public:
    explicit FedChannel(std::deque<Notice>& notices) : notices_(notices) {}
    void send(const Notice&, std::span<const int>) const override {}
    std::optional<Notice> receive() const override {
        if (notices_.empty()) return std::nullopt;
        const Notice next = notices_.front();
        notices_.pop_front();
        return next;
    }

  private:
    std::deque<Notice>& notices_;
};

/// Rank 1 of three nodes of two ranks.
class OtherNodesHeard : public testing::Test {
  protected:
    void hear(Notice::Kind kind, int rank, double seconds, const std::string& text = "") {
        notices_.push_back({kind, rank, seconds, text});
        alarm_ = others_.hear(0.25);
    }

    std::deque<Notice> notices_;
    OtherNodes others_{1, Topology::blocked(6, 2), std::make_unique<FedChannel>(notices_), 1.0};
    std::optional<OtherNodes::Alarm> alarm_;
};

TEST_F(OtherNodesHeard, StandForAsLongAsTheOneThatMovedLast) {
    EXPECT_EQ(others_.standing_s(), 0.0) << "nobody has said anything";
    hear(Notice::Kind::beat, 2, 7.0, "rank 2 (in step 3)");
    EXPECT_EQ(others_.standing_s(), 0.0) << "node 2 has said nothing";
    hear(Notice::Kind::beat, 4, 9.0);
    EXPECT_EQ(others_.standing_s(), 7.0);
    hear(Notice::Kind::beat, 3, 8.0);
    EXPECT_EQ(others_.standing_s(), 8.0) << "any rank speaks for its node";
    hear(Notice::Kind::beat, 4, 0.25);
    EXPECT_EQ(others_.standing_s(), 0.25) << "one of them has moved";
    hear(Notice::Kind::left, 5, 0.0);
    EXPECT_EQ(others_.standing_s(), 8.0) << "who has left is not waited for";
    hear(Notice::Kind::left, 2, 0.0);
    EXPECT_EQ(others_.standing_s(), infinite);
    EXPECT_FALSE(alarm_);
}

TEST_F(OtherNodesHeard, AreSilentOnceTheyWereHeardOfAndNotAfterTheyLeft) {
    hear(Notice::Kind::beat, 2, 0.0, "rank 2 (in step 3)");
    hear(Notice::Kind::beat, 4, 0.0);
    hear(Notice::Kind::left, 4, 0.0);
    others_.hear(0.25);
    EXPECT_FALSE(others_.silent());
    others_.hear(100.0);  // a look that comes late counts for half a second
    const auto stall = others_.silent();
    ASSERT_TRUE(stall);
    EXPECT_EQ(stall->ranks, (std::vector{2, 3}));
    EXPECT_LT(stall->for_s, 2.0);
    EXPECT_EQ(others_.last_heard(3), "rank 2 (in step 3)");
    hear(Notice::Kind::beat, 3, 0.0);
    EXPECT_FALSE(others_.silent());
}

TEST_F(OtherNodesHeard, AlarmIsTheFirst) {
    notices_.push_back({Notice::Kind::alarm, 4, 0.0, "first"});
    hear(Notice::Kind::alarm, 2, 0.0, "second");
    ASSERT_TRUE(alarm_);
    EXPECT_EQ(alarm_->reporter, 4);
    EXPECT_EQ(alarm_->reason, "first");
}

TEST(OtherNodesAbove, HaveLeftBeforeANodeSpeaksForAll) {
    std::deque<Notice> notices{{Notice::Kind::left, 2, 0.0, ""}};
    OtherNodes others(4, Topology::blocked(6, 2), std::make_unique<FedChannel>(notices), 1.0);
    EXPECT_FALSE(others.hear(0.25));
    EXPECT_FALSE(others.are_all_above()) << "node 0 is there";
    notices.push_back({Notice::Kind::left, 1, 0.0, ""});
    EXPECT_FALSE(others.hear(0.25));
    EXPECT_TRUE(others.are_all_above());
}

}  // namespace
}  // namespace shardstone::collectives
