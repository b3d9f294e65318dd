// SPDX-License-Identifier: BSD-3-Clause
// The host as a memory space: where its memory comes from, and the queue that its kernels go into.
#pragma once

#include <cstdint>
#include <span>

#include "kernels/tensor/runtime.hpp"

namespace shardstone {

/// An order in which kernels run. That of the host is the calling thread's: a kernel has run when
/// its call returns, so that there is never anything to wait for. A handle: all copies are one
/// queue. A device's queue takes kernels without running them, and brings kernels of the same names
/// that take it.
class HostQueue {
  public:
    /// Starts the libraries under the kernels.
    HostQueue() { ensure_runtime(); }
};

/// A memory space: a type that Buffer and Matrix carry, so that kernels of one space cannot be
/// given the memory of another. Its members are what another space has to have.
struct Host {
    using Queue = HostQueue;
    /// Elements side by side, as kernels take them.
    template <class T>
    using Span = std::span<T>;

    /// Zeroed memory, aligned to a cache line (64 B); from 4 MiB up to 2 MiB and advised to use
    /// huge pages. Throws Error naming the size when there is not enough, or the limit would be
    /// exceeded (set_memory_limit_bytes()).
    static void* allocate_zeroed(std::int64_t size_bytes);
    static void release(void* memory, std::int64_t size_bytes) noexcept;
};

}  // namespace shardstone
