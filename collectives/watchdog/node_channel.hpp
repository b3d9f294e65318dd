// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "collectives/cluster/communicator.hpp"

namespace shardstone::collectives {

/// What the watchdogs of different nodes tell each other.
struct Notice {
    enum class Kind : std::uint8_t {
        beat,     ///< the node is there; `seconds`: for how long none of its ranks moves; `text`:
                  ///< what they do
        left,     ///< all ranks of the node have ended well
        alarm,    ///< somebody does not go on: `text` says who, `rank` reports it
        waiters,  ///< to the one who reports: `text` says what the ranks of the node wait for
    };
    Kind kind = Kind::beat;
    std::int32_t rank = 0;  ///< who sends; of an alarm, who reports
    double seconds = 0.0;
    std::string text;  ///< at most 32 KiB, longer ones are cut
};

/// A way between nodes of its own, which works when MPI's does not: UDP over whatever addresses the
/// nodes have. Notices may be lost, doubled or overtake each other. One thread at a time.
class NodeChannel {
  public:
    /// Collective. Null where the ranks are on one node, or a rank cannot have a socket.
    static std::unique_ptr<NodeChannel> open(const Communicator& communicator);
    NodeChannel(const NodeChannel&) = delete;
    NodeChannel& operator=(const NodeChannel&) = delete;
    ~NodeChannel();

    /// Local, never waits.
    void send(const Notice& notice, std::span<const int> to_ranks) const;
    /// The next that has come, if any; never waits.
    std::optional<Notice> receive() const;

  private:
    struct Address {
        std::uint32_t host = 0;  ///< both in the order of the network
        std::uint16_t port = 0;
    };
    NodeChannel() = default;
    static std::vector<Address> addresses_of(const std::string& text);

    int socket_ = -1;
    std::uint64_t token_ = 0;  ///< of this job: others' notices are not ours
    std::vector<std::vector<Address>> addresses_;
};

}  // namespace shardstone::collectives
