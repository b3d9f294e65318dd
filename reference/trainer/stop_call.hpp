// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <vector>

#include "collectives/cluster/communicator.hpp"
#include "collectives/cluster/peer_message.hpp"

namespace shardstone::reference {

/// Ranks agree, while each is at a long task of its own, to cut it short because a signal has
/// reached one of them (interrupt.hpp): it may reach only some.
///
/// Every rank sends rank 0 one word for each task: to stop, as soon as it is asked to, or that it
/// came to its end. Rank 0 answers all with one word: to stop, as soon as it has heard or been
/// asked so, or that all came to their end. That answer is what they agree on. 2 (P - 1) messages
/// of a byte a task.
class StopCall {
  public:
    /// Collective; blocks in MPI.
    explicit StopCall(const collectives::Communicator& world);
    StopCall(const StopCall&) = delete;
    StopCall& operator=(const StopCall&) = delete;
    /// Waits for nobody: an error may end this rank within a task.
    ~StopCall();

    /// A task begins; the one before has ended. Local.
    void begin();
    /// Whether the task is to be cut short, from then on until its end. To be called now and then,
    /// also while waiting for other ranks. Local, never blocks.
    bool heard();
    /// After the last heard() of this task: whether any rank was to cut it short, the same on all.
    /// Collective.
    bool end();

  private:
    static constexpr auto whole = std::byte{0}, stop = std::byte{1};
    struct Coming {
        int from;
        collectives::PeerMessage message;
    };
    void listen();
    void speak();

    collectives::Communicator own_;
    bool stops_ = false, has_spoken_ = false;
    std::byte word_ = whole;
    std::vector<std::byte> words_;  ///< by rank, of those that this one hears
    std::vector<Coming> coming_;
    std::vector<collectives::PeerMessage> going_;
};

}  // namespace shardstone::reference
