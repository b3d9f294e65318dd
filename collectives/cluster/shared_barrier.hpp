// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "collectives/cluster/shared_rounds.hpp"
#include "collectives/cluster/shared_window.hpp"

namespace shardstone::collectives {

/// A barrier of the ranks of this node, through shared memory; waiting ranks sleep.
class SharedBarrier {
  public:
    /// Collective. The communicator, which may be moved, must outlive this object.
    explicit SharedBarrier(const Communicator& communicator)
        : native_(communicator.native()),
          window_(communicator, sizeof(SharedRounds::Shared)),
          rounds_(window_.at<SharedRounds::Shared>(0, 0), window_.lanes()) {}

    /// Returns on no rank before every rank of this node has entered.
    void wait();

  private:
    const NativeCommunicator& native_;
    SharedWindow window_;
    SharedRounds rounds_;
};

}  // namespace shardstone::collectives
