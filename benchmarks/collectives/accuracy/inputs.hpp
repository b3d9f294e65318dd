// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/base/element_type.hpp"

namespace shardstone::benchmarks {

/// Random numbers to add up over ranks, whose sums are known exactly.
///
/// Element i of rank r depends on (r, i) alone, so that any rank makes those of all. Floats are
/// uniform in [0, 1), rounded to the type: no cancellation, so that an error in units in the last
/// place of the sum says how well was added, not how ill the sum was conditioned. Each is then a
/// multiple of 2^-53, and the sum of P < 1024 of them a 64-bit integer number of these: exact.
/// Integers are uniform from -2^20 to 2^20.
class SumInputs {
  public:
    /// Throws Error when sums over so many ranks leave the range of the type or of the above.
    SumInputs(ElementType type, int size);

    void fill(void* buffer, std::int64_t count, int rank) const;

    /// An element of the exact sum, which is `high` + `low`.
    struct Exact {
        double high = 0.0;
        double low = 0.0;

        /// By how much `value` is off, with the sign; not finite for what is not.
        double error_of(double value) const { return (value - high) - low; }
    };
    std::vector<Exact> sums(std::int64_t count) const;

  private:
    double value(int rank, std::int64_t i) const;

    ElementType type_;
    int size_;
};

}  // namespace shardstone::benchmarks
