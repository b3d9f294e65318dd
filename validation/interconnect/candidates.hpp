// SPDX-License-Identifier: BSD-3-Clause
// All components of a cluster that tests cross, each with the tests that speak for or against it.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "validation/interconnect/components.hpp"
#include "validation/interconnect/slowdowns.hpp"

namespace shardstone::validation {

/// Tests that cross the same part at one end: all that one NIC sends, all that it receives, its
/// loopbacks, those inside nodes from one NIC's end, those that one NIC sends up, or receives down,
/// through one port.
enum class GroupKind : std::uint8_t { out, in, loopback, inside_node, up, down };
inline constexpr int group_kind_count = 6;

struct TestGroup {
    GroupKind kind = GroupKind::out;
    std::vector<int> tests = {};  ///< positions in Slowdowns::of_tests
};

/// A component other than a pair, and its tests.
struct Candidate {
    Component component = {};
    std::vector<int> groups = {};  ///< positions in Candidates::groups
    double log_prior = 0.0;
};

struct Candidates {
    std::vector<TestGroup> groups = {};
    std::vector<Candidate> of_parts = {};
    double log_prior_of_pair = 0.0;
};

/// The prior probability of a fault to be of each culprit (culprit_count values, in the order of
/// Culprit), divided equally among the cluster's components of that kind; those of kinds that it
/// does not have go to the others. They only decide between components that no test tells apart.
inline constexpr std::array<double, culprit_count> prior_of_culprit{
    0.10,                // node
    0.20, 0.05,  0.05,   // NIC: both directions, as when its PCIe link is narrow; out; in
    0.05, 0.15,  0.15,   // cable: both directions; out; in, as fibres fail one by one
    0.05, 0.075, 0.075,  // port: both, up, down
    0.05                 // pair
};

Candidates candidates_of(std::span<const Place> places, const Slowdowns& slowdowns);

}  // namespace shardstone::validation
