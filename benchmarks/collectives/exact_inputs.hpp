// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "collectives/operation/spec.hpp"

namespace shardstone::benchmarks {

/// Small integers that depend on rank and position, so that a reduction over all ranks is exact in
/// the element type in any order, and a misplaced, missing or doubly counted element is detected.
/// The idea is from nccl-tests (verifiable inputs).
///
/// With u the unit roundoff, integers up to 1 / u are exact: up to 8 in fp8_e5m2. If not all ranks
/// can contribute to an element within that limit, a few do, in turns, and the others contribute
/// zero. Thus a vector shorter than elements_to_see_all() tests only some ranks; one that begins
/// (`first`) where it ended tests others. For max and min one rank in turn determines each element.
class ExactInputs {
  public:
    ExactInputs(ElementType type, collectives::Reduction reduction, int size);

    /// Fills `buffer` with the contribution of `rank` to elements [first, first + count). If
    /// nothing is reduced (size 1), each rank has values of its own.
    void fill(void* buffer, std::int64_t count, int rank, std::int64_t first = 0) const;
    /// Number of elements [first, first + count) in `buffer` that differ from the correct reduction
    /// over all ranks.
    std::int64_t wrong_elements(const void* buffer, std::int64_t count,
                                std::int64_t first = 0) const;

    /// Number of consecutive elements, from any start, among which each rank determines at least
    /// one.
    std::int64_t elements_to_see_all() const noexcept;

  private:
    /// Key of the values at a position: `phase` determines the values of the participating ranks,
    /// `first` which ranks participate.
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
    std::int64_t values_;           ///< number of different ones of a participating rank
    std::int64_t unit_;             ///< all values are multiples of this
    std::int64_t active_;           ///< ranks that participate at one position
    std::int64_t idle_;             ///< value of the others
    std::vector<double> expected_;  ///< of each place: phase, then the turn of its first rank
};

}  // namespace shardstone::benchmarks
