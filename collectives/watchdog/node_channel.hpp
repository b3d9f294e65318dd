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

/// A separate channel between nodes, which works when MPI does not: UDP over any addresses of the
/// nodes. Notices may be lost, duplicated or reordered. One thread at a time.
class NodeChannel {
  public:
    /// Collective. Null if the ranks are on one node, or a rank cannot get a socket.
    static std::unique_ptr<NodeChannel> open(const Communicator& communicator);
    NodeChannel(const NodeChannel&) = delete;
    NodeChannel& operator=(const NodeChannel&) = delete;
    virtual ~NodeChannel();

    /// Local, never blocks.
    virtual void send(const Notice& notice, std::span<const int> to_ranks) const;
    /// The next notice that has arrived, if any; never blocks, even if strangers send continuously.
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
