// SPDX-License-Identifier: BSD-3-Clause
// Paths, signatures and names of components, and the checks of what was measured.
#include "validation/interconnect/pair_times.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "kernels/base/error.hpp"
#include "validation/interconnect/components.hpp"

namespace shardstone::validation {

namespace {

/// Two leaves of two nodes with two NICs each; place = 2 node + rail.
std::vector<Place> two_leaves() {
    std::vector<Place> places;
    for (int node = 0; node < 4; ++node) {
        for (int rail = 0; rail < 2; ++rail) {
            places.push_back({.node = node, .rail = rail, .leaf = node / 2, .uplink = node % 2});
        }
    }
    return places;
}

/// Who is slowed among: within the leaf, across, inside the node, loopback; all from node 0 NIC 0.
std::string slowed(const Component& component) {
    const auto places = two_leaves();
    std::string text;
    for (const PairTest& test :
         {PairTest{.sender = 0, .receiver = 2}, PairTest{.sender = 0, .receiver = 4},
          PairTest{.sender = 0, .receiver = 1},
          PairTest{.sender = 0, .receiver = 0, .loopback = true}}) {
        text += covers(component, places, test) ? 'x' : '.';
    }
    return text;
}

std::string refusal(const PairTime& time) {
    try {
        require_valid(two_leaves(), std::vector{time});
    } catch (const Error& error) {
        return error.what();
    }
    return "";
}

}  // namespace

TEST(PairTimes, PathsFollowFromThePlaces) {
    auto places = two_leaves();
    EXPECT_EQ(path_of(places, {.sender = 0, .receiver = 2}), Path::same_leaf);
    EXPECT_EQ(path_of(places, {.sender = 0, .receiver = 4}), Path::across_leaves);
    EXPECT_EQ(path_of(places, {.sender = 0, .receiver = 1}), Path::inside_node);
    EXPECT_EQ(path_of(places, {.sender = 0, .receiver = 0, .loopback = true}), Path::loopback);
    places[4].leaf = -1;
    EXPECT_EQ(path_of(places, {.sender = 0, .receiver = 4}), Path::same_leaf);
}

TEST(PairTimes, EachCulpritHasItsSignature) {
    EXPECT_EQ(slowed({.culprit = Culprit::node, .node = 0}), "xxxx");
    EXPECT_EQ(slowed({.culprit = Culprit::node, .node = 1}), "x...");
    EXPECT_EQ(slowed({.culprit = Culprit::nic, .node = 0, .rail = 0}), "xx.x");
    EXPECT_EQ(slowed({.culprit = Culprit::nic, .node = 0, .rail = 1}), "....");
    EXPECT_EQ(slowed({.culprit = Culprit::nic_out, .node = 0, .rail = 0}), "xx.x");
    EXPECT_EQ(slowed({.culprit = Culprit::nic_in, .node = 0, .rail = 0}), "...x");
    EXPECT_EQ(slowed({.culprit = Culprit::cable, .node = 0, .rail = 0}), "xx..");
    EXPECT_EQ(slowed({.culprit = Culprit::cable_out, .node = 0, .rail = 0}), "xx..");
    EXPECT_EQ(slowed({.culprit = Culprit::cable_in, .node = 0, .rail = 0}), "....");
    EXPECT_EQ(slowed({.culprit = Culprit::cable_in, .node = 1, .rail = 0}), "x...");
    EXPECT_EQ(slowed({.culprit = Culprit::port_up, .leaf = 0, .uplink = 0}), ".x..");
    EXPECT_EQ(slowed({.culprit = Culprit::port_up, .leaf = 0, .uplink = 1}), "....");
    EXPECT_EQ(slowed({.culprit = Culprit::port_down, .leaf = 0, .uplink = 0}), "....");
    EXPECT_EQ(slowed({.culprit = Culprit::port_down, .leaf = 1, .uplink = 0}), ".x..");
    EXPECT_EQ(slowed({.culprit = Culprit::port, .leaf = 1, .uplink = 0}), ".x..");
    EXPECT_EQ(slowed({.culprit = Culprit::pair, .sender = 0, .receiver = 2}), "x...");
    EXPECT_EQ(slowed({.culprit = Culprit::pair, .sender = 2, .receiver = 0}), "....");
}

TEST(PairTimes, NamesSayWhereAndWhichDirection) {
    const auto places = two_leaves();
    EXPECT_EQ(name_of({.culprit = Culprit::node, .node = 3}, places), "node 3");
    EXPECT_EQ(name_of({.culprit = Culprit::nic_out, .node = 3, .rail = 1}, places),
              "NIC 1 of node 3, outgoing");
    EXPECT_EQ(name_of({.culprit = Culprit::cable_in, .node = 3, .rail = 1}, places),
              "cable of NIC 1 of node 3, incoming");
    EXPECT_EQ(name_of({.culprit = Culprit::port_up, .leaf = 1, .uplink = 0}, places),
              "port 0 of leaf 1, upwards");
    EXPECT_EQ(name_of({.culprit = Culprit::pair, .sender = 1, .receiver = 7}, places),
              "the pair from NIC 1 of node 0 to NIC 1 of node 3");
}

TEST(PairTimes, NamesBeginWithTheHostWhereItIsKnown) {
    auto places = two_leaves();
    for (auto& place : places) place.host = "node" + std::to_string(place.node + 1);
    EXPECT_EQ(name_of({.culprit = Culprit::node, .node = 3}, places), "node4 (node 3 of the run)");
    EXPECT_EQ(name_of({.culprit = Culprit::cable_out, .node = 1, .rail = 0}, places),
              "cable of NIC 0 of node2 (node 1 of the run), outgoing");
    EXPECT_EQ(name_of({.culprit = Culprit::pair, .sender = 1, .receiver = 7}, places),
              "the pair from NIC 1 of node1 (node 0 of the run) to NIC 1 of node4 (node 3 of the "
              "run)");
}

TEST(PairTimes, WhatCannotHaveBeenMeasuredIsRefused) {
    EXPECT_EQ(refusal({.test = {.sender = 0, .receiver = 7}, .times_s = {1.0}}), "");
    EXPECT_EQ(refusal({.test = {.sender = 0, .receiver = 8}, .times_s = {1.0}}),
              "a test from place 0 to place 8: there are 8 places, counted from 0");
    EXPECT_EQ(refusal({.test = {.sender = 3, .receiver = 3}, .times_s = {1.0}}),
              "a test of place 3 with itself: mark it as a loopback");
    EXPECT_EQ(refusal({.test = {.sender = 0, .receiver = 1, .loopback = true}, .times_s = {1.0}}),
              "a loopback from node 0 NIC 0 to node 0 NIC 1: use one NIC");
    EXPECT_EQ(refusal({.test = {.sender = 0, .receiver = 7}}),
              "the test from place 0 to place 7 has no times");
    EXPECT_EQ(refusal({.test = {.sender = 0, .receiver = 7}, .times_s = {1.0, 0.0}}),
              "a time of 0 s from place 0 to place 7: times are above 0");
    EXPECT_NE(refusal({.test = {.sender = 0, .receiver = 7}, .times_s = {std::nan("")}}), "");
}

}  // namespace shardstone::validation
