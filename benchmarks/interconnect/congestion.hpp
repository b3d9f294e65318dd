// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "benchmarks/interconnect/link_pass.hpp"
#include "benchmarks/interconnect/victim.hpp"
#include "collectives/cluster/communicator.hpp"

namespace shardstone::benchmarks {

/// What the network carries besides, while a pair's messages are timed.
enum class NetworkLoad : std::uint8_t {
    alone,       ///< nothing
    at_once,     ///< the messages of all pairs between two halves of the nodes
    victim,      ///< nothing, for the pair that is then
    all_to_all,  ///< beside an all-to-all of the ranks of all other nodes
};
const char* to_string(NetworkLoad load);

struct CongestionSample {
    int sender = 0, receiver = 0;  ///< ranks
    NetworkLoad load = NetworkLoad::alone;
    int pass = 0;
    std::int64_t size_bytes = 0;
    double time_s = 0.0;  ///< from the start of the send to the arrival of the acknowledgement
};

struct CongestionPass {
    std::vector<CongestionSample> samples;
    std::vector<WrongLinkData> wrong;
    std::int64_t compared_bytes = 0;  ///< of the messages whose data were compared
};

/// What other traffic does to a pair's messages, in passes. Node i of the first half of the nodes
/// and node i of the second half are a pair, by each of their NICs (the first ranks of these), so
/// that all of them together load the cut between the halves: each pair alone, then all at once,
/// with the largest messages. Then the first pair is the victim (victim.hpp), alone and beside all
/// others, with messages of all sizes. Of an odd number of nodes the last one rests in the halves.
class Congestion {
  public:
    /// Collective, with equal arguments. `world` has two nodes at least and must outlive this
    /// object. Sizes as those of LinkPasses, ascending. Passes are numbered on from `passes`.
    Congestion(const collectives::Communicator& world, collectives::DataMemory memory,
               std::vector<std::int64_t> sizes_bytes, int rails, int passes = 0);

    /// Samples that a pass leaves.
    std::size_t samples_of_pass() const;
    /// `began` is called before each part of the pass, with what it is. Complete on rank 0, empty
    /// elsewhere. Collective.
    CongestionPass run(const std::function<void(const char*)>& began);
    /// For the times of what was wrong.
    const LinkPasses& clock() const noexcept { return alone_; }

  private:
    void pass_over(LinkPasses& pairs, NetworkLoad load, CongestionPass& found) const;
    void test_victim(NetworkLoad load, CongestionPass& found);

    const collectives::Communicator& world_;
    std::vector<std::int64_t> sizes_bytes_;
    LinkRound halves_;
    LinkPasses alone_, at_once_;
    Victim victim_;
    int passes_;
};

}  // namespace shardstone::benchmarks
