// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "collectives/cluster/communicator.hpp"

namespace shardstone::collectives {

/// The memory of the other ranks of a node, wherever it lies, read and written by way of the kernel
/// (process_vm_readv, process_vm_writev): one copy, without a window in between.
///
/// Linux allows it between processes of one user in one container, unless a security module or a
/// filter of system calls stands in the way: the ranks try it on each other before they rely on it.
/// Where Yama allows it to tracers only, the ranks let any process of their user trace them from
/// then on (PR_SET_PTRACER_ANY), as other messaging libraries do.
class PeerMemory {
  public:
    /// Collective; all ranks are on one node.
    explicit PeerMemory(const Communicator& communicator);

    /// Whether every rank can read and write every other's memory; equal on all ranks.
    bool reachable() const noexcept { return reachable_; }

    /// Copies `size_bytes` at `address` of a rank's memory, which that rank leaves alone meanwhile.
    /// Throws Error naming rank and address when they are not all there; some may be copied then.
    void read(int rank, std::uint64_t address, void* to, std::int64_t size_bytes) const;
    void write(int rank, std::uint64_t address, const void* from, std::int64_t size_bytes) const;

  private:
    std::vector<int> processes_;
    bool reachable_ = false;
};

}  // namespace shardstone::collectives
