// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "collectives/cluster/communicator.hpp"

namespace shardstone::collectives {

/// One message to or from one other rank, pending until progress() returns true.
///
/// A send and a receive are matched by communicator, ranks and `id`; those with the same id between
/// the same ranks in the order in which they were started. The communicator carries no other
/// messages (create one with split()). Memory is the caller's, and must remain valid until the
/// message is complete or this object is destroyed. That waits for it, but an exception, which
/// ends the job, gives up a receive.
class PeerMessage {
  public:
    static PeerMessage send(const Communicator& communicator, int to, std::int64_t id,
                            std::span<const std::byte> data);
    static PeerMessage receive(const Communicator& communicator, int from, std::int64_t id,
                               std::span<std::byte> data);
    PeerMessage(PeerMessage&&) noexcept;
    PeerMessage& operator=(PeerMessage&&) noexcept;
    ~PeerMessage();

    /// Makes progress without blocking; true once the message is complete, and from then on.
    bool progress();
    /// A receive is no longer waited for when this object is destroyed: for who ends without it.
    void give_up();

  private:
    struct Request;
    explicit PeerMessage(std::unique_ptr<Request> request);

    std::unique_ptr<Request> request_;
};

}  // namespace shardstone::collectives
