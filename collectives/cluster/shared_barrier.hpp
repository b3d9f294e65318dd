// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "collectives/cluster/shared_rounds.hpp"
#include "collectives/cluster/shared_window.hpp"

namespace shardstone::collectives {

/// A barrier of the ranks of this node, through shared memory: who waits sleeps.
class SharedBarrier {
  public:
    /// Collective. The communicator must outlive this object.
    explicit SharedBarrier(const Communicator& communicator)
        : communicator_(communicator),
          window_(communicator, sizeof(SharedRounds::Shared)),
          rounds_(window_.at<SharedRounds::Shared>(0, 0), window_.lanes()) {}

    /// Returns on no rank before every rank of this node has entered.
    void wait() {
        const std::int64_t round = rounds_.current();
        rounds_.arrive();
        wait_for_news(
            rounds_.bell(), [&] { return rounds_.complete(round); },
            [&] { communicator_.drive_messages(); });
    }

  private:
    const Communicator& communicator_;
    SharedWindow window_;
    SharedRounds rounds_;
};

}  // namespace shardstone::collectives
