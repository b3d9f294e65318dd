// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "collectives/cluster/doorbell.hpp"
#include "collectives/cluster/shared_window.hpp"
#include "collectives/operation/executor.hpp"

namespace shardstone::collectives {

/// Common base of these executors: a window, and a wait that sleeps on a doorbell in it while no
/// MPI messages, which do not ring, are pending.
class SharedMemoryExecutor : public Executor {
  public:
    void wait() final;
    std::string waits_for() const override { return "the other ranks of the node"; }

  protected:
    /// Collective. The communicator, which may be moved, must outlive this object.
    SharedMemoryExecutor(const Communicator& communicator, std::int64_t part_bytes)
        : native_(communicator.native()), window_(communicator, part_bytes) {}

    /// Rung by others once this rank may be able to continue.
    virtual Doorbell& bell() = 0;
    /// Whether only polling can show that this rank may be able to continue.
    virtual bool awaits_messages() const { return false; }

    const SharedWindow& window() const noexcept { return window_; }
    /// Of this node.
    int ranks() const noexcept { return window_.lanes(); }
    int rank() const noexcept { return window_.lane(); }

  private:
    const NativeCommunicator& native_;
    SharedWindow window_;
};

}  // namespace shardstone::collectives
