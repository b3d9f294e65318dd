// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "collectives/cluster/communicator.hpp"

namespace shardstone::collectives {

/// Access to any memory of the other ranks of a node through the kernel (process_vm_readv,
/// process_vm_writev): a single copy, without a window in between.
///
/// Linux allows it between processes of one user in one container, unless a security module or a
/// system-call filter prevents it: the ranks try it on each other before they rely on it. Where
/// Yama allows it to tracers only, the ranks let any process of their user trace them from then on
/// (PR_SET_PTRACER_ANY), as other messaging libraries do.
class PeerMemory {
  public:
    /// Collective; all ranks are on one node.
    explicit PeerMemory(const Communicator& communicator);

    /// Whether every rank can read and write the memory of every other; equal on all ranks.
    bool reachable() const noexcept { return reachable_; }

    /// Copies `size_bytes` at `address` of a rank's memory, which that rank must not access
    /// meanwhile. Throws Error naming rank and address if not all of them exist; some may have been
    /// copied then.
    void read(int rank, std::uint64_t address, void* to, std::int64_t size_bytes) const;
    void write(int rank, std::uint64_t address, const void* from, std::int64_t size_bytes) const;

  private:
    std::vector<int> processes_;
    bool reachable_ = false;
};

}  // namespace shardstone::collectives
