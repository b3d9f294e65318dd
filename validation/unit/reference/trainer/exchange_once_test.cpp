// SPDX-License-Identifier: BSD-3-Clause
// A collective that is started once only, such as one whose lengths vary: what arrives, and what is
// counted.
#include <gtest/gtest.h>

#include "collectives/operation/algorithm.hpp"
#include "reference/trainer/exchange.hpp"
#include "validation/unit/mpi_test_main.hpp"

namespace shardstone::validation {
namespace {

using namespace reference;
using Floats = std::vector<float>;

const GroupKind experts{{"expert"}};

/// All ranks of the job share out the experts.
std::shared_ptr<PlanGroups> expert_ranks() {
    ParallelPlan plan;
    plan.expert = world().size();
    return std::make_shared<PlanGroups>(world(), plan);
}

/// What rank `from` has for rank `to`, in turn `turn`: none now and then.
std::int64_t count_of(int from, int to, int turn) {
    return (from + 2 * to + turn) % 3 * 5;
}

/// The n-th of these numbers.
float value_of(int from, int to, int turn, std::int64_t n) {
    return static_cast<float>(1000 * from + 100 * to + 10 * turn) + static_cast<float>(n % 10);
}

/// An all-to-all of varying lengths, with what goes out and what has to come in.
struct Varying {
    explicit Varying(int which) : turn(which) {
        const int ranks = world().size(), own = world().rank();
        spec.vector.type = ElementType::fp32;
        for (int from = 0; from < ranks; ++from) {
            for (int to = 0; to < ranks; ++to) {
                const std::int64_t count = count_of(from, to, turn);
                spec.shares.push_back(count);
                for (std::int64_t n = 0; n < count; ++n) {
                    const float value = value_of(from, to, turn, n);
                    if (from == own) sends.push_back(value);
                    if (to == own) arrives.push_back(value);
                    // What is the rank's own is there already.
                    if (to == own) gets.push_back(from == own ? value : -1.0F);
                }
                if (from == own && to != own) sent_bytes += 4 * count;
            }
        }
        // The buffers of all ranks hold this many.
        spec.vector.count = 15 * ranks;
        sends.resize(static_cast<std::size_t>(spec.vector.count), -2.0F);
        gets.resize(sends.size(), -2.0F);
        arrives.resize(sends.size(), -2.0F);
    }

    int turn;
    collectives::CollectiveSpec spec{};
    Floats sends, gets, arrives;
    std::int64_t sent_bytes = 0;
};

Exchange::Ticket start(Exchange& exchange, Varying& one, int& arrived) {
    return exchange.start_once(experts, collectives::find_algorithm("all_to_all", "pairwise"),
                               one.spec, one.sends.data(), one.gets.data(), [&] { ++arrived; });
}

/// Their tags are counted apart, though both groups have all ranks: collectives that vary take some
/// that sums of gradients have in use.
TEST(ExchangeOnce, ExpertRanksHaveACommunicatorOfTheirOwn) {
    const auto groups = expert_ranks();
    ASSERT_NE(groups->communicator(experts), nullptr);
    EXPECT_EQ(groups->communicator(experts)->size(), world().size());
    EXPECT_EQ(groups->communicator(GroupKind::data)->size(), world().size());
    EXPECT_NE(groups->communicator(experts), groups->communicator(GroupKind::data));
    EXPECT_EQ(groups->communicator(GroupKind::world), groups->communicator(GroupKind::data));
}

TEST(ExchangeOnce, EveryRankGetsWhatTheOthersHaveForIt) {
    Exchange exchange(expert_ranks());
    std::int64_t bytes = 0;
    int arrived = 0;
    for (int turn = 0; turn < 5; ++turn) {
        Varying one(turn);
        const auto ticket = start(exchange, one, arrived);
        exchange.wait(ticket);
        EXPECT_FALSE(exchange.under_way(ticket));
        EXPECT_EQ(arrived, turn + 1);
        EXPECT_EQ(one.gets, one.arrives) << "turn " << turn;
        bytes += one.sent_bytes;
        EXPECT_EQ(exchange.bytes_sent(experts), bytes);
    }
    EXPECT_TRUE(exchange.idle());
    EXPECT_GT(bytes, 0);
    EXPECT_EQ(exchange.bytes_sent(GroupKind::tensor), 0);
}

TEST(ExchangeOnce, SeveralAreUnderWayBesideOneThatIsPrepared) {
    Exchange exchange(expert_ranks());
    constexpr std::int64_t count = 3072;  // whole cache lines for each of 2 to 4 ranks
    const auto which =
        exchange.prepare(experts, collectives::find_algorithm("all_reduce", "ring"),
                         {{count, ElementType::fp32, collectives::Reduction::sum}, 0, {}});
    Floats sums(count, static_cast<float>(world().rank()));
    std::vector<Varying> all;
    for (int turn = 0; turn < 6; ++turn) all.emplace_back(turn);
    int arrived = 0;
    std::int64_t bytes = 0;
    for (Varying& one : all) {
        start(exchange, one, arrived);
        bytes += one.sent_bytes;
        if (one.turn == 2) exchange.start(which, sums.data(), sums.data(), [&] { ++arrived; });
    }
    exchange.wait_for_all();
    EXPECT_EQ(arrived, 7);
    for (const Varying& one : all) EXPECT_EQ(one.gets, one.arrives) << "turn " << one.turn;
    const int ranks = world().size();
    EXPECT_EQ(sums, Floats(count, static_cast<float>(ranks * (ranks - 1) / 2)));
    // An all-reduce by a ring sends 2 (P - 1) blocks, here all as long.
    EXPECT_EQ(exchange.bytes_sent(experts), bytes + 2 * (ranks - 1) * (count / ranks) * 4);
}

}  // namespace
}  // namespace shardstone::validation
