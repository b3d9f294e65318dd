// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "collectives/executors/shared_memory/peer_memory.hpp"
#include "collectives/executors/shared_memory/reduce.hpp"
#include "collectives/operation/spec.hpp"

namespace shardstone::collectives {

/// Reduces vectors anywhere in the memory of the ranks of a node, and writes the results there:
/// every byte is copied once to the rank that reduces it, and once back.
///
/// It works in chunks small enough that one of each rank and the result fit into a second-level
/// cache: a result is written back while it is cached.
class SingleCopy {
  public:
    /// `peers` is reachable. `chunk_bytes` are taken from each rank at a time, at least an element.
    SingleCopy(PeerMemory peers, const Communicator& communicator, const VectorSpec& vector,
               std::int64_t chunk_bytes);

    /// Local. The `count` elements at addresses[r] in the memory of each rank r, combined in rank
    /// order, replace them on all ranks, which must not access them meanwhile. Throws Error if a
    /// part of another rank's memory does not exist.
    void reduce(std::span<const std::uint64_t> addresses, std::int64_t count);

  private:
    struct alignas(64) Line {
        std::array<std::byte, 64> bytes;
    };

    void reduce_chunk(std::span<const std::uint64_t> addresses, std::int64_t offset_bytes,
                      std::int64_t count);
    /// Each rank starts with a different neighbour, so that not all access the same rank at a time.
    int neighbour(int distance) const noexcept { return (rank_ + distance) % ranks_; }

    PeerMemory peers_;
    int rank_;
    int ranks_;
    ReduceAcrossFunction reduce_;
    std::int64_t element_bytes_;
    std::int64_t chunk_;  ///< elements
    std::int64_t lines_;  ///< of a chunk
    std::unique_ptr<Line[]> chunks_;
    std::vector<const std::byte*> sources_;
};

}  // namespace shardstone::collectives
