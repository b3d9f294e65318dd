// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <utility>

#include "collectives/cluster/waiting.hpp"

namespace shardstone::benchmarks {

/// Waits for single messages, and tells the watchdog for what.
class Waiting final : public collectives::Awaited {
  public:
    explicit Waiting(std::string what) : what_(std::move(what)) {}
    std::string waits_for() const override { return what_; }
    /// Of PeerMessage or PairMessages.
    template <class Message>
    void wait(Message& message) const {
        collectives::Waiter waiter(this);
        while (!message.progress()) waiter.idle();
    }

  private:
    std::string what_;
};

}  // namespace shardstone::benchmarks
