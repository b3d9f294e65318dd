// SPDX-License-Identifier: BSD-3-Clause
// Limits and comparisons of which is known beforehand that nothing will decide them.
#include "validation/interconnect/foreseen.hpp"

#include <gtest/gtest.h>

#include "kernels/base/error.hpp"
#include "validation/interconnect/acceptance_file.hpp"

namespace shardstone::validation {
namespace {

using collectives::Topology;

InterconnectOptions limited(const std::string& quantity) {
    InterconnectOptions options;
    options.parts.traffic = true;
    AcceptanceLimit limit;
    limit.quantity = quantity;
    options.limits = {limit};
    return options;
}

std::string refusal(const InterconnectOptions& options, const Topology& topology) {
    try {
        require_limits_measurable(options, topology, "pod.toml", "cn07");
        return "";
    } catch (const Error& error) {
        return error.what();
    }
}

TEST(Foreseen, EveryQuantityIsMeasuredByAPartOfTheTests) {
    for (const LimitedQuantity& quantity : limited_quantities()) {
        auto options = limited(quantity.name);
        EXPECT_EQ(refusal(options, Topology::blocked(8, 2)), "") << quantity.name;
        options.parts = {false, false, false, false, false};
        EXPECT_TRUE(refusal(options, Topology::blocked(8, 2))
                        .starts_with(std::string("--accept pod.toml limits '") + quantity.name +
                                     "', which these tests do not measure: add "));
    }
}

TEST(Foreseen, NodesAndRanksMaySuffice) {
    const auto one_node = Topology::blocked(4, 4), two_nodes = Topology::blocked(2, 1);
    for (const char* quantity :
         {"rate between nodes", "latency between nodes", "clock offset", "clock drift"}) {
        EXPECT_NE(refusal(limited(quantity), one_node).find("all 4 ranks are on one node (cn07)"),
                  std::string::npos)
            << quantity;
        EXPECT_EQ(refusal(limited(quantity), two_nodes), "") << quantity;
    }
    EXPECT_NE(refusal(limited("slowdown of a victim"), two_nodes)
                  .find("the 2 ranks are on 2 nodes: start it on 3 nodes or more"),
              std::string::npos);
    // Halves of three nodes are one pair, of which nothing is at once.
    for (const char* quantity : {"bisection rate", "slowdown of pairs at once"}) {
        EXPECT_NE(refusal(limited(quantity), Topology::blocked(6, 2))
                      .find("the 6 ranks are on 3 nodes: start it on 4 nodes or more"),
                  std::string::npos);
        EXPECT_EQ(refusal(limited(quantity), Topology::blocked(4, 1)), "");
    }
    for (const char* quantity : {"rate inside nodes", "latency inside nodes"}) {
        EXPECT_NE(refusal(limited(quantity), two_nodes).find("no node has two ranks"),
                  std::string::npos);
        EXPECT_EQ(refusal(limited(quantity), one_node), "");
    }
    EXPECT_EQ(refusal(limited("wake-up delay"), Topology::blocked(1, 1)), "");
}

// An all-to-all beside the pair is of two ranks at least, which may share the third node.
TEST(Foreseen, AVictimNeedsTwoRanksBesideItsPair) {
    const auto options = limited("slowdown of a victim");
    EXPECT_NE(
        refusal(options, Topology::blocked(3, 1)).find("start it on 4 nodes or more, or with"),
        std::string::npos);
    EXPECT_NE(refusal(options, Topology::blocked(5, 2)), "") << "one rank is on the third";
    EXPECT_EQ(refusal(options, Topology::blocked(6, 2)), "");
    EXPECT_EQ(refusal(options, Topology::blocked(4, 1)), "");
}

TEST(Foreseen, WhatHasNoOthersOfItsKindCannotPass) {
    const auto two_nodes = Topology::blocked(2, 1);
    InterconnectOptions options;
    EXPECT_EQ(foreseen_lack(options, Topology::blocked(1, 1)),
              "one rank has nobody to be compared with");
    EXPECT_TRUE(foreseen_lack(options, two_nodes).starts_with("two nodes have no others"));
    EXPECT_TRUE(foreseen_lack(options, Topology::blocked(16, 8)).starts_with("two nodes have no"));
    EXPECT_TRUE(foreseen_lack(options, Topology::blocked(2, 2)).starts_with("two ranks have no"));
    EXPECT_EQ(foreseen_lack(options, Topology::blocked(3, 1)), "");
    EXPECT_EQ(foreseen_lack(limited("rate between nodes"), two_nodes), "");
    EXPECT_NE(foreseen_lack(limited("wake-up delay"), two_nodes), "") << "says nothing of links";
    options.rails = 2;
    EXPECT_EQ(foreseen_lack(options, Topology::blocked(4, 2)), "") << "four links are of a kind";
    options.parts = {false, true, false, true, false};
    EXPECT_TRUE(
        foreseen_lack(options, Topology::blocked(8, 1)).starts_with("congestion and clocks"));
}

}  // namespace
}  // namespace shardstone::validation
