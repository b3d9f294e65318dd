// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "collectives/cluster/communicator.hpp"
#include "collectives/executors/collective.hpp"
#include "reference/step/mesh.hpp"

namespace shardstone::reference {

/// The messages between the stages of a pipeline where they match by their order alone, as those
/// of NCCL do: a channel, with a communicator and a stream of its own, for each two neighbouring
/// stages, direction, and kind (the residual stream or its gradient). In each of them all schedules
/// send and receive in one order, and nothing in it waits for a message of another one, so that
/// stages which both send first do not wait for each other.
///
/// A message is a broadcast among two.
class StageChannels {
  public:
    struct Key {
        int peer;
        bool gradient, outgoing;
        bool operator==(const Key&) const = default;
    };
    struct Channel {
        Key key;
        collectives::Communicator members;
        int sender;  ///< rank among the two
        /// Made with the first message, whose size all have.
        std::optional<collectives::Collective> broadcast = {};
        std::int64_t size_bytes = 0;
    };

    /// None if the plan has one stage. Collective over `job`, all ranks of the plan; stages that
    /// share a rank's end of a channel are neighbours in the circle of stages.
    StageChannels(const collectives::Communicator& job, const ParallelPlan& plan);

    /// In an order in which all ranks may set them up, one after the other.
    std::vector<Channel>& all() noexcept { return channels_; }
    /// Of the messages of this rank to or from a peer, of `size_bytes` each.
    Channel& channel(const Key& key, std::int64_t size_bytes);

    std::int64_t bytes_sent() const;

  private:
    std::vector<Channel> channels_;
};

}  // namespace shardstone::reference
