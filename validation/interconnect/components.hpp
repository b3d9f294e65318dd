// SPDX-License-Identifier: BSD-3-Clause
// The parts of a cluster that may be slow, and which tests each of them slows.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "validation/interconnect/pair_times.hpp"

namespace shardstone::validation {

/// What may be slow, and its signature in tests between ends:
///
/// - node: all tests of all its NICs, both directions, loopback, and inside the node;
/// - nic: both directions of one NIC, and its loopback, which turns round in the NIC;
/// - nic_out, nic_in: one direction of it, and its loopback, which goes out and in;
/// - cable: both directions of one NIC; its loopback is healthy;
/// - cable_out, cable_in: one direction, as when a fibre or a lane is bad; its loopback is healthy;
/// - port_up, port_down: what crosses one uplink port of one leaf in that direction, from all
///   senders to all receivers that are routed through it; pairs inside the leaf are healthy;
/// - port: both directions of it;
/// - pair: one sender to one receiver, while each is healthy with all others.
///
/// What tests between ends cannot tell apart:
///
/// - a cable, its connectors and the leaf's port for that cable;
/// - NIC and cable, without loopback;
/// - the node and its only NIC, without loopback or tests inside nodes;
/// - a node of two NICs, and faults of both of them;
/// - a leaf's uplink port, the cable on it and the spine's port for it;
/// - all uplinks of a leaf and the NICs of all of its nodes, without pairs inside the leaf;
/// - up from one leaf and down to the only other one.
enum class Culprit : std::uint8_t {
    node,
    nic,
    nic_out,
    nic_in,
    cable,
    cable_out,
    cable_in,
    port,
    port_up,
    port_down,
    pair
};
inline constexpr int culprit_count = 11;

/// One part: node and rail for node, NIC and cable (rail -1 for a node), leaf and uplink for a
/// port, sender and receiver for a pair; -1 elsewhere.
struct Component {
    Culprit culprit = Culprit::node;
    int node = -1;
    int rail = -1;
    int leaf = -1;
    int uplink = -1;
    int sender = -1;
    int receiver = -1;
    bool operator==(const Component&) const = default;
};

/// "cn04 (node 3 of the run)": by the name on its case; the number, from 0, tells nodes of one host
/// apart. "node 3" where the host is unknown.
std::string name_of_node(int node, const std::string& host);

/// "cn04 (node 3 of the run)", "NIC 2 of cn04 (...), outgoing", "cable of NIC 0 of cn04 (...),
/// incoming", "port 1 of leaf 4, upwards", "the pair from NIC 0 of cn01 (...) to NIC 0 of cn02
/// (...)".
std::string name_of(const Component& component, std::span<const Place> places);
/// "node", "NIC, outgoing": the kind alone.
std::string to_string(Culprit culprit);

/// Whether a message of this test crosses the component.
bool covers(const Component& component, std::span<const Place> places, const PairTest& test);

}  // namespace shardstone::validation
