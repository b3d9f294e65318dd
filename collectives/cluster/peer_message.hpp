// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "collectives/cluster/communicator.hpp"

namespace shardstone::collectives {

/// One message to or from one other rank, under way until progress() says that it is through.
///
/// A send and a receive meet by communicator, ranks and `id`; two with the same id between the same
/// ranks meet in the order in which they were begun. The communicator carries nothing else (make
/// one with split()). Memory is the caller's, and must stay put until the message is through, or
/// this object's end, which waits for it.
class PeerMessage {
  public:
    static PeerMessage send(const Communicator& communicator, int to, std::int64_t id,
                            std::span<const std::byte> data);
    static PeerMessage receive(const Communicator& communicator, int from, std::int64_t id,
                               std::span<std::byte> data);
    PeerMessage(PeerMessage&&) noexcept;
    PeerMessage& operator=(PeerMessage&&) noexcept;
    ~PeerMessage();

    /// Moves on without waiting; true once the message is through, and from then on.
    bool progress();

  private:
    struct Request;
    explicit PeerMessage(std::unique_ptr<Request> request);

    std::unique_ptr<Request> request_;
};

}  // namespace shardstone::collectives
