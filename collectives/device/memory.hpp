// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace shardstone::collectives {

/// A kind of memory that can hold a rank's blocks.
class Memory {
  public:
    Memory() = default;
    Memory(const Memory&) = delete;
    Memory& operator=(const Memory&) = delete;
    virtual ~Memory() = default;

    /// Allocates this many bytes, uninitialised, aligned to a cache line.
    virtual std::shared_ptr<std::byte> allocate(std::int64_t size_bytes) const = 0;
    /// Copies within this memory, in order with the executor's other operations on the data.
    virtual void copy(std::byte* to, const std::byte* from, std::int64_t size_bytes) const = 0;
};

const Memory& host_memory();

}  // namespace shardstone::collectives
