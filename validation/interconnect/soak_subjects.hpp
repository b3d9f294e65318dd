// SPDX-License-Identifier: BSD-3-Clause
// What may be slow for a time during a soak, and the passes in which each of it was.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "results/schema/interconnect.hpp"
#include "validation/interconnect/spells.hpp"

namespace shardstone::validation {

/// A link or node: all tests between nodes that it has an end in, or one pair in one direction.
enum class SoakKind : std::uint8_t {
    cluster,
    node,
    outgoing,
    incoming,
    between_nodes,
    inside_node
};

struct SoakSubject {
    SoakKind kind = SoakKind::cluster;
    int node = -1;                   ///< of node, outgoing, incoming
    int sender = -1, receiver = -1;  ///< of a pair
};

/// A message of one pass that was slow.
struct SlowTest {
    std::int64_t pass = 0;
    int sender = 0, receiver = 0;
};

/// Subjects of one kind, and when each was slow.
struct SubjectsOfKind {
    std::vector<SoakSubject> subjects;
    std::vector<SlowPasses> slow;
};

/// A subject is slow in a pass if more than half of its messages are, and fewer than half of all
/// other messages between nodes (for a pair inside a node: inside nodes). The whole cluster is slow
/// if more than half of all between nodes are. Nodes and their directions are subjects of their own
/// from three nodes on; among fewer they are pairs. `tests`: sender and receiver of all tests, each
/// once. `slow`: of one size, each test at most once in a pass, in any order.
std::vector<SubjectsOfKind> soak_subjects(std::span<const results::RankPlaceRow> places,
                                          std::span<const std::pair<int, int>> tests,
                                          std::vector<SlowTest> slow);

/// Whether the tests of `whole` include those of `part`; false for equal ones.
bool includes(const SoakSubject& whole, const SoakSubject& part,
              std::span<const results::RankPlaceRow> places);

/// "n2 (node 1 of the run), outgoing", "rank 2 on n2 to rank 4 on n3", "most of the cluster".
std::string name_of(const SoakSubject& subject, const std::vector<results::RankPlaceRow>& places);

/// Whether a message from `sender` to `receiver` is one of its tests.
bool concerns(const SoakSubject& subject, int sender, int receiver,
              std::span<const results::RankPlaceRow> places);

}  // namespace shardstone::validation
