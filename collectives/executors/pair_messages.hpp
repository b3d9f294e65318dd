// SPDX-License-Identifier: BSD-3-Clause
// Messages between two ranks whose data are in memory of the host, or of GPUs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "collectives/cluster/communicator.hpp"
#include "kernels/base/provided.hpp"

namespace shardstone::collectives {

/// Where the data of messages are sent from and received.
enum class DataMemory : std::uint8_t {
    host,  ///< over MPI
    gpu,   ///< through NCCL, between the GPUs of the ranks
};

/// Memory of a rank, which begins as zeros, and messages from and to it. The host has a view of the
/// memory: what it writes there is sent from load() on, what arrived is there after unload(). Parts
/// are of that view. All functions are local, but connect() and the first exchange() with a rank
/// may block the host until that rank calls them as well.
class PairMessages {
  public:
    /// One end of a message.
    struct End {
        int peer;
        std::span<std::byte> part;
    };

    PairMessages() = default;
    PairMessages(const PairMessages&) = delete;
    PairMessages& operator=(const PairMessages&) = delete;
    virtual ~PairMessages() = default;

    virtual std::span<std::byte> host_view() = 0;
    virtual void load(std::span<const std::byte> part) = 0;
    virtual void unload(std::span<std::byte> part) = 0;

    /// Opens the connection with a rank, which does so as well, before any message between the two:
    /// until progress() tells its end. Nothing is done where it is open.
    virtual void connect(int peer) = 0;
    /// Starts a message, which is complete when the receiver's answer is here: a message by the
    /// same way, without data (a byte between GPUs). One at a time.
    virtual void send(const End& out) = 0;
    /// Starts to receive; nothing may be sent before that is complete.
    virtual void receive(const End& in) = 0;
    /// Starts the answer to what was received from this rank last, and then to receive its next
    /// message in `next`, if that has any room; complete when both are.
    virtual void answer(int peer, std::span<std::byte> next) = 0;
    /// Starts a message to one rank and one from another, or the same; all ranks that wait for one
    /// another in a circle do this.
    virtual void exchange(const End& out, const End& in) = 0;
    /// Makes progress without blocking; true when what was started first is complete, or nothing is
    /// under way; the next call is then about what was started next. Throws Error if it has failed.
    virtual bool progress() = 0;
};

/// Memory of `size_bytes`, and all ranks of the communicator as peers. Collective. Throws
/// AgreedError if the ranks have no GPUs, or two share one, or the program was built without NCCL.
std::unique_ptr<PairMessages> make_pair_messages(const Communicator& communicator,
                                                 DataMemory memory, std::size_t size_bytes);

/// The source of those between GPUs, of so many bytes.
using PairMessagesSource =
    Provided<std::unique_ptr<PairMessages>(const Communicator&, std::size_t)>;

}  // namespace shardstone::collectives
