// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "benchmarks/interconnect/link_data.hpp"
#include "collectives/cluster/communicator.hpp"
#include "collectives/cluster/long_waits.hpp"
#include "collectives/executors/pair_messages.hpp"

namespace shardstone::benchmarks {

/// Messages in one direction, each acknowledged before the next is sent.
struct LinkStream {
    int sender = 0, receiver = 0;  ///< ranks
    std::int64_t size_bytes = 0;   ///< of a message; a multiple of 8
    int messages = 1;
    std::int64_t first_step = 0;  ///< of the first message; each has a step of its own
};

/// One rank's end of the links to all others, with memory for messages up to a size: of the host,
/// or of the rank's GPU. Acknowledgements go the way of the data, so that those of the smallest
/// messages take as long as these; readiness is told by MPI.
///
/// What is timed at the sender is a message and its acknowledgement, nothing else: contents are
/// written before the first message, and compared after the last, each message in memory of its
/// own: of the host the same that was sent and received, of a GPU copied there before and back
/// after. The receiver says when it is ready, so that a late one does not count; but its long waits
/// tell of each of these messages (LongWaits). While it waits, a rank tells the watchdog for whom,
/// for what and in which step.
class LinkEnd final : private collectives::AwaitedRank {
  public:
    /// Collective. Both communicators are of the same ranks and must outlive this object; that of
    /// readiness carries nothing else meanwhile.
    LinkEnd(const collectives::Communicator& ranks, const collectives::Communicator& readiness,
            collectives::DataMemory memory, std::int64_t largest_bytes);

    /// For the sender. Times from the start of each send to the arrival of its acknowledgement.
    std::vector<double> send(const LinkStream& stream);
    /// For the receiver. The messages that were not as they were sent.
    std::vector<WrongLinkData> receive(const LinkStream& stream);
    /// Of all messages whose data were compared since the last call. Local.
    std::int64_t take_compared_bytes();

  private:
    std::string waits_for() const override;
    int rank_awaited() const override { return peer_; }
    template <class Message>
    void wait(Message& message);
    void meet(int peer, std::int64_t step);
    std::span<std::byte> all_of(const LinkStream& stream) const;
    std::span<std::byte> place_of(const LinkStream& stream, int message) const;
    bool has_room(const LinkStream& stream) const;

    const collectives::Communicator& readiness_;
    std::unique_ptr<collectives::PairMessages> messages_;
    std::int64_t compared_bytes_ = 0;
    int peer_ = -1;          ///< at the other end of the stream under way
    std::int64_t step_ = 0;  ///< of the message under way, for the watchdog
    std::string awaited_;    ///< likewise
};

/// Messages of a stream that are timed one by one: several where a message takes hardly longer than
/// the scheduler's whims.
int messages_of(std::int64_t size_bytes);

}  // namespace shardstone::benchmarks
