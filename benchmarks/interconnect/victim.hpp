// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "benchmarks/interconnect/link_end.hpp"
#include "benchmarks/interconnect/link_pass.hpp"
#include "collectives/cluster/communicator.hpp"

namespace shardstone::benchmarks {

/// One acknowledged message of a victim.
struct VictimSample {
    int sender = 0, receiver = 0;
    std::int64_t size_bytes = 0;
    double time_s = 0.0;  ///< from the start of the send to the arrival of the acknowledgement
};

/// A pair of ranks on two nodes, whose messages are timed while all ranks of all other nodes
/// exchange messages with each other. No NIC of theirs is the pair's: only what the pair shares
/// with others, switches and links between them, can slow it.
class Victim {
  public:
    /// Collective, with equal arguments. `world` must outlive this object. Sizes as those of
    /// LinkPasses.
    Victim(const collectives::Communicator& world, collectives::DataMemory memory, RankPair pair,
           std::vector<std::int64_t> sizes_bytes);

    /// Whether there are two ranks on other nodes, to exchange messages.
    bool is_possible() const noexcept { return bystanders_.size() >= 2; }
    /// Every size in both directions, beside the exchange of the others or alone; each message is a
    /// sample. Each rank adds what it sent itself, and what it received wrong, with now_s() as
    /// WrongLinkData::at_s. `beside_others` only if that is possible. Collective.
    void run(bool beside_others, std::vector<VictimSample>& samples,
             std::vector<WrongLinkData>& wrong);
    /// As LinkEnd's.
    std::int64_t take_compared_bytes() { return end_.take_compared_bytes(); }

  private:
    bool is_in_pair() const { return is_first_ || world_.rank() == pair_.second; }
    void stream(const LinkStream& stream, std::vector<VictimSample>& samples,
                std::vector<WrongLinkData>& wrong);
    void exchange_until_told();
    bool exchange_once(bool is_last);

    const collectives::Communicator& world_;
    RankPair pair_;
    std::vector<std::int64_t> sizes_bytes_;
    std::vector<int> bystanders_;  ///< ranks, ascending
    bool is_first_, is_bystander_;
    collectives::Communicator exchanging_;  ///< of bystanders: those
    collectives::Communicator readiness_;   ///< of all ranks, for LinkEnd
    collectives::Communicator calls_;       ///< of all ranks: begun, and done
    LinkEnd end_;
    std::unique_ptr<collectives::PairMessages>
        exchanged_;  ///< of bystanders: what they send and get
    std::int64_t step_ = 0;
};

}  // namespace shardstone::benchmarks
