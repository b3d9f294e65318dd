// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "collectives/operation/spec.hpp"

namespace shardstone::benchmarks {

/// Small integers that depend on rank and position, so that a reduction over all ranks is exact in
/// the element type whatever the order, and an element out of place, left out or counted twice
/// shows. The idea is nccl-tests' (verifiable inputs).
class ExactInputs {
  public:
    /// Throws Error when a sum over `size` ranks cannot be exact in the type.
    ExactInputs(ElementType type, collectives::Reduction reduction, int size);

    /// Fills `buffer` with what `rank` contributes to elements [first, first + count).
    void fill(void* buffer, std::int64_t count, int rank, std::int64_t first = 0) const;
    /// How many of elements [first, first + count) in `buffer` are not what the reduction over all
    /// ranks must give.
    std::int64_t wrong_elements(const void* buffer, std::int64_t count,
                                std::int64_t first = 0) const;

  private:
    /// Values repeat with this, and with where in a longer period of positions they stand.
    std::int64_t phase(std::int64_t i) const { return (i + i / 13) % largest_; }
    std::int64_t value(int rank, std::int64_t phase) const {
        return 1 + (phase + 3 * static_cast<std::int64_t>(rank)) % largest_;
    }

    ElementType type_;
    std::int64_t largest_;                ///< values are 1 to this
    std::vector<std::int64_t> expected_;  ///< of each phase
};

}  // namespace shardstone::benchmarks
