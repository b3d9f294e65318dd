// SPDX-License-Identifier: BSD-3-Clause
// What tests of pairs measured, and which way each of them took.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace shardstone::validation {

/// Where one end of a test sits. Ends that have node and rail in common share a NIC.
struct Place {
    int node = 0;
    int rail = 0;   ///< the NIC, counted within the node
    int leaf = -1;  ///< the switch at the other end of the NIC's cable; -1: unknown
    /// The port through which traffic to this place leaves any other leaf, and enters its own: with
    /// routing by destination, as InfiniBand has, it depends on the receiver alone. 0 for all if
    /// the ports are one trunk or unknown.
    int uplink = 0;
    std::string host = {};  ///< name of the node; empty: unknown, as of simulated ones
    bool operator==(const Place&) const = default;
};

/// A transfer in one direction. `sender` and `receiver` are positions in a list of places.
struct PairTest {
    int sender = 0;
    int receiver = 0;
    bool alone = false;     ///< no other pair was active at the time
    bool loopback = false;  ///< both ends on one node, made to go through the NIC of the sender
    bool operator==(const PairTest&) const = default;
};

/// The times of one test with one size of message, in the order in which they were taken. A test
/// that was repeated later has several of these: the scatter between them says more than that
/// within. Times of a ping-pong are half a round trip, those of a stream the time per message.
struct PairTime {
    PairTest test = {};
    std::int64_t size_bytes = 0;
    int round = 0;  ///< tests with the same number ran at the same time
    std::vector<double> times_s = {};
};

/// What a message crosses; tests are compared with others of their own path only.
enum class Path : std::uint8_t { loopback, inside_node, same_leaf, across_leaves };
inline constexpr int path_count = 4;
std::string to_string(Path path);

/// inside_node: no NIC (memory, NVLink). Two nodes of which either leaf is unknown: same_leaf.
Path path_of(std::span<const Place> places, const PairTest& test);

/// The distinct sizes, ascending.
std::vector<std::int64_t> sizes_of(std::span<const PairTime> times);

/// Throws Error for a test of a place that is not in the list, of a place with itself other than by
/// loopback, a loopback between two NICs, no times, or a time that is not positive and finite.
void require_valid(std::span<const Place> places, std::span<const PairTime> times);

}  // namespace shardstone::validation
