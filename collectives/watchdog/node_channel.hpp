// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "collectives/cluster/communicator.hpp"
#include "collectives/watchdog/notice.hpp"

namespace shardstone::collectives {

/// A way between nodes of its own, which works when MPI's does not: UDP over whatever addresses the
/// nodes have. Notices may be lost, doubled or overtake each other. One thread at a time.
class NodeChannel {
  public:
    /// Collective. Null where the ranks are on one node, or a rank cannot have a socket.
    static std::unique_ptr<NodeChannel> open(const Communicator& communicator);
    NodeChannel(const NodeChannel&) = delete;
    NodeChannel& operator=(const NodeChannel&) = delete;
    virtual ~NodeChannel();

    /// Local, never waits.
    virtual void send(const Notice& notice, std::span<const int> to_ranks) const;
    /// The next that has come, if any; never waits, not even while strangers send without end.
    virtual std::optional<Notice> receive() const;

  protected:
    NodeChannel() = default;  // tests have channels that no network is needed for

  private:
    struct Address {
        std::uint32_t host = 0;  ///< both in the order of the network
        std::uint16_t port = 0;
    };
    static std::vector<Address> addresses_of(const std::string& text);

    int socket_ = -1;
    std::uint64_t token_ = 0;  ///< of this job: others' notices are not ours
    std::vector<std::vector<Address>> addresses_;
};

}  // namespace shardstone::collectives
