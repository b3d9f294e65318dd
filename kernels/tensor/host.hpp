// SPDX-License-Identifier: BSD-3-Clause
// The host as a memory space: its allocator, and the queue of its kernels.
#pragma once

#include <cstdint>
#include <span>

#include "kernels/tensor/runtime.hpp"

namespace shardstone {

/// The execution order of kernels. The host's is that of the calling thread: a kernel is complete
/// when its call returns, so that there is never anything to wait for. A handle: all copies refer
/// to one queue. A device's queue enqueues kernels without running them, and comes with kernels of
/// the same names that accept it.
class HostQueue {
  public:
    /// Starts the libraries under the kernels.
    HostQueue() { ensure_runtime(); }
};

/// A memory space: a type that Buffer and Matrix carry, so that kernels of one space cannot be
/// given the memory of another. Other spaces need the same members.
struct Host {
    using Queue = HostQueue;
    /// Contiguous elements, as kernels accept them.
    template <class T>
    using Span = std::span<T>;

    /// Zeroed memory, aligned to a cache line (64 B); from 4 MiB up to 2 MiB and advised to use
    /// huge pages. Throws Error naming the size if there is not enough, or the limit would be
    /// exceeded (set_memory_limit_bytes()).
    static void* allocate_zeroed(std::int64_t size_bytes);
    static void release(void* memory, std::int64_t size_bytes) noexcept;
    /// Total bytes of all Buffers of this space in this process, as requested: padding for
    /// alignment is not touched and so takes no memory. Thread-safe.
    static std::int64_t in_use_bytes() noexcept;
};

}  // namespace shardstone
