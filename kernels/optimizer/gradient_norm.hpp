// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <span>

#include "kernels/tensor/cuda.hpp"
#include "kernels/tensor/host.hpp"

namespace shardstone {

/// A sum of squares independent of the order of the elements and of their distribution among ranks:
/// a fixed-point number of 64-bit limbs, whose sums are exact.
///
/// Each square s (exact in FP64 for float; rounded once, by up to 2^-53 s, for double) is split
/// into s = h + m + l + rest, multiples of 2^10, 2^-40 and 2^-90, each nearest to the remainder;
/// the rest, at most 2^-91, is lost, identically everywhere. Therefore, for n elements
///
///   |value() - sum| <= n 2^-91 + 4 * 2^-53 sum      (one 2^-53 for the squares of doubles, up to
///                                                   three for the roundings of value())
///
/// The limbs hold sums below 2^73, which 2^33 elements within the limit cannot exceed, and those of
/// up to 2^12 ranks can be added.
class SquareSum {
  public:
    /// Sums on the grids 2^10, 2^-40 and 2^-90, and the number of elements beyond the limit.
    using Limbs = std::array<std::int64_t, 4>;

    /// Largest magnitude of an element. An element beyond it, or a NaN, makes value() a NaN.
    static constexpr double limit = 0x1p20;

    SquareSum() = default;
    /// From the limbs of several sums, added up limb by limb.
    explicit SquareSum(const Limbs& limbs);

    /// Real is float or double.
    template <class Real>
    void add(std::span<const Real> values);

    /// Equal for the same elements within the limit, regardless of how they were added.
    const Limbs& limbs() const noexcept { return limbs_; }
    double value() const;

  private:
    Limbs limbs_{};
};

/// Adds the squares of `values` to a sum in the queue's memory space. Real is float or double.
template <class Real>
void add_squares(HostQueue queue, std::span<const Real> values, SquareSum::Limbs& sum);
/// `sum` is one that kernels of the queue have made: the lower limbs are carried.
template <class Real>
void add_squares(CudaQueue queue, Cuda::Span<const Real> values, SquareSum::Limbs& sum);

/// An infinity or a NaN in an array, and its index.
struct NotFinite {
    bool is_there = false;  ///< whether one was found
    std::int64_t place = 0;
    double value = 0.0;
};
/// Unless `found` is already set, sets it to the first of `values` that is not finite, with indices
/// counted from `first`. Reads the values once, at memory bandwidth, as long as all are finite.
/// Real is float or double.
template <class Real>
void find_not_finite(HostQueue queue, std::span<const Real> values, std::int64_t first,
                     NotFinite& found);
/// As long as nothing is found, `found` is zero.
template <class Real>
void find_not_finite(CudaQueue queue, Cuda::Span<const Real> values, std::int64_t first,
                     NotFinite& found);

/// Of a norm, which is not negative.
constexpr bool is_finite_norm(double norm) {
    return norm <= std::numeric_limits<double>::max();
}

/// The factor that reduces a global norm to `limit`: limit / norm if the norm exceeds it, otherwise
/// 1; limit <= 0 means no clipping. The norm is the root of the sum of squares over every parameter
/// of the model, each counted once (Pascanu, Mikolov and Bengio 2013). A norm that is not finite
/// gives a factor that is not finite, so that divergence is visible.
constexpr double clipping_factor(double norm, double limit) {
    if (!is_finite_norm(norm)) return std::numeric_limits<double>::quiet_NaN();
    return limit > 0.0 && norm > limit ? limit / norm : 1.0;
}

}  // namespace shardstone
