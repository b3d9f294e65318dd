// SPDX-License-Identifier: BSD-3-Clause
// Loads of the network: who sends under which, how often, and that everybody ends.
#include "benchmarks/interconnect/congestion.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <tuple>

#include "validation/unit/declared_nodes.hpp"
#include "validation/unit/watched_sends.hpp"

namespace shardstone::validation {
namespace {

using benchmarks::Congestion;
using benchmarks::NetworkLoad;

TEST(Congestion, HasEveryLoadPairDirectionAndSize) {
    const DeclaredNodes nodes(1);
    const int ranks = world().size();
    Congestion congestion(world(), collectives::DataMemory::host, {8, 65536}, 1);
    std::map<std::tuple<NetworkLoad, int, int, std::int64_t>, int> seen;
    for (int pass = 0; pass < 2; ++pass) {
        const auto found = congestion.run([](const char*) {});
        EXPECT_TRUE(found.wrong.empty());
        EXPECT_EQ(found.samples.size(), world().is_root() ? congestion.samples_of_pass() : 0u);
        for (const auto& sample : found.samples) {
            EXPECT_EQ(sample.pass, pass);
            EXPECT_GT(sample.time_s, 0.0);
            EXPECT_LT(sample.time_s, 10.0);
            ++seen[{sample.load, sample.sender, sample.receiver, sample.size_bytes}];
        }
    }
    if (!world().is_root()) return;
    const int half = ranks / 2;
    const auto count = [&](NetworkLoad load, int from, int to, std::int64_t bytes) {
        return seen[{load, from, to, bytes}] + seen[{load, to, from, bytes}];
    };
    for (int first = 0; first < half; ++first) {
        EXPECT_EQ(count(NetworkLoad::alone, first, first + half, 65536), 4);
        EXPECT_EQ(count(NetworkLoad::at_once, first, first + half, 65536), 4);
    }
    const bool beside_others = ranks >= 4;  // two others at least
    for (const NetworkLoad load : {NetworkLoad::victim, NetworkLoad::all_to_all}) {
        EXPECT_EQ(count(load, 0, half, 65536), beside_others ? 4 : 0);
        EXPECT_EQ(count(load, 0, half, 8), beside_others ? 32 : 0) << "eight in a row";
    }
}

// The pair's nodes take no part in the exchange: the others' ranks are what is left.
TEST(Congestion, RanksOfTheVictimsNodesRest) {
    if (world().size() != 8) GTEST_SKIP() << "needs four nodes of two ranks";
    const DeclaredNodes nodes(2);
    for (const int rails : {1, 2}) {
        Congestion congestion(world(), collectives::DataMemory::host, {8, 4096}, rails);
        const auto found = congestion.run([](const char*) {});
        if (!world().is_root()) continue;
        std::set<int> senders;
        for (const auto& sample : found.samples) {
            EXPECT_EQ((sample.sender + 4) % 8, sample.receiver);
            senders.insert(sample.sender);
        }
        const std::set<int> first_ranks{0, 2, 4, 6}, all{0, 1, 2, 3, 4, 5, 6, 7};
        EXPECT_EQ(senders, rails == 1 ? first_ranks : all);
    }
}

/// Messages by part of the pass, and to whom; only those of the exchange are so long.
TEST(Congestion, TheOthersExchangeMessagesBesideTheVictimAndOnlyThen) {
    const DeclaredNodes nodes(1);
    const int ranks = world().size();
    if (ranks < 4) GTEST_SKIP() << "needs two others beside the pair";
    Congestion congestion(world(), collectives::DataMemory::host, {8192}, 1);
    std::string part;
    std::map<std::string, std::map<int, int>> sent;
    {
        const WatchedSends watched([&](const LeavingMessage& message) {
            if (message.data.size() > 65536) ++sent[part][message.to];
        });
        congestion.run([&](const char* what) { part = what; });
    }
    const bool is_in_pair = world().rank() == 0 || world().rank() == ranks / 2;
    EXPECT_EQ(sent.size(), is_in_pair ? 0u : 1u);
    if (is_in_pair) return;
    const auto& exchanged = sent["a victim beside an all-to-all"];
    ASSERT_EQ(exchanged.size(), static_cast<std::size_t>(ranks - 3)) << "all others but itself";
    for (const auto& [to, messages] : exchanged) {
        EXPECT_EQ(messages, exchanged.begin()->second) << "as many to rank " << to;
    }
}

}  // namespace
}  // namespace shardstone::validation
