// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "collectives/operation/spec.hpp"

namespace shardstone::benchmarks {

/// Small integers that depend on rank and position, so that a reduction over all ranks is exact in
/// the element type whatever the order, and an element out of place, left out or counted twice
/// shows. The idea is nccl-tests' (verifiable inputs).
///
/// With u the unit roundoff, integers up to 1 / u are exact: up to 8 in fp8_e5m2. Where not every
/// rank can add to an element within that, a few do, in turns, and the others give zero. So a
/// vector shorter than elements_to_see_all() shows only some ranks; one that begins (`first`) where
/// it ended shows others. For max and min one rank in turn decides each element.
class ExactInputs {
  public:
    ExactInputs(ElementType type, collectives::Reduction reduction, int size);

    /// Fills `buffer` with what `rank` contributes to elements [first, first + count). Where
    /// nothing is reduced (size 1), any rank has values of its own.
    void fill(void* buffer, std::int64_t count, int rank, std::int64_t first = 0) const;
    /// How many of elements [first, first + count) in `buffer` are not what the reduction over all
    /// ranks must give.
    std::int64_t wrong_elements(const void* buffer, std::int64_t count,
                                std::int64_t first = 0) const;

    /// The elements in a row, wherever they begin, among which each rank decides at least one.
    std::int64_t elements_to_see_all() const noexcept;

  private:
    /// What decides the values at a position: `phase` the values of the ranks that take part,
    /// `first` which ranks do.
    struct ValueKey {
        std::int64_t phase = 0;
        std::int64_t first = 0;
    };
    ValueKey place(std::int64_t position) const;
    bool takes_part(int rank, const ValueKey& place) const;
    std::int64_t value(int rank, const ValueKey& place) const;
    std::int64_t combined(const ValueKey& place) const;
    double result(std::int64_t combined) const;
    double expected(const ValueKey& place) const;

    ElementType type_;
    collectives::Reduction reduction_;
    std::int64_t size_;
    std::int64_t values_;           ///< how many different ones a rank that takes part gives
    std::int64_t unit_;             ///< all values are multiples of this
    std::int64_t active_;           ///< ranks that take part at one position
    std::int64_t idle_;             ///< what the others give
    std::vector<double> expected_;  ///< of each place: phase, then the turn of its first rank
};

}  // namespace shardstone::benchmarks
