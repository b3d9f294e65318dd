// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace shardstone::collectives {

/// A kind of memory that a rank's blocks can be in.
class Memory {
  public:
    Memory() = default;
    Memory(const Memory&) = delete;
    Memory& operator=(const Memory&) = delete;
    virtual ~Memory() = default;

    /// So many bytes, contents not set, aligned to a cache line.
    virtual std::shared_ptr<std::byte> allocate(std::int64_t size_bytes) const = 0;
    /// Within this memory; in order with whatever else its executor has done to the data.
    virtual void copy(std::byte* to, const std::byte* from, std::int64_t size_bytes) const = 0;
};

const Memory& host_memory();

}  // namespace shardstone::collectives
