// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/base/element_type.hpp"

namespace shardstone::benchmarks {

/// Random numbers to sum over ranks, with exactly known sums.
///
/// Element i of rank r depends on (r, i) alone, so that any rank can generate those of all. Floats
/// are uniform in [0, 1), rounded to the type: without cancellation, so that an error in units in
/// the last place of the sum measures the accuracy of the additions, not the condition of the sum.
/// Each is then a multiple of 2^-53, and the sum of P < 1024 of them a 64-bit integer multiple of
/// it: exact. Integers are uniform from -2^20 to 2^20.
class SumInputs {
  public:
    /// Throws Error if sums over this many ranks exceed the range of the type or of the above.
    SumInputs(ElementType type, int size);

    void fill(void* buffer, std::int64_t count, int rank) const;

    /// An element of the exact sum, which is `high` + `low`.
    struct Exact {
        double high = 0.0;
        double low = 0.0;

        /// Signed error of `value`; not finite if `value` is not.
        double error_of(double value) const { return (value - high) - low; }
    };
    std::vector<Exact> sums(std::int64_t count) const;

  private:
    double value(int rank, std::int64_t i) const;

    ElementType type_;
    int size_;
};

}  // namespace shardstone::benchmarks
