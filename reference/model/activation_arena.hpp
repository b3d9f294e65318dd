// SPDX-License-Identifier: BSD-3-Clause
// One allocation for many tensors, each in whole cache lines.
#pragma once

#include <cstdint>

#include "kernels/tensor/matrix.hpp"

namespace shardstone::reference {

/// Reals to which every tensor in the allocation, and every row of logits, is rounded up.
inline constexpr std::int64_t activation_alignment = 16;

/// Hands out consecutive pieces of an allocation; without one it only counts. Counts in Reals, in
/// whole cache lines.
template <class Real, class Space = Host>
class ActivationArena {
  public:
    explicit ActivationArena(Real* memory) : memory_(memory) {}

    template <class T>
    T* take(std::int64_t elements) {
        Real* piece = memory_ == nullptr ? nullptr : memory_ + used_;
        used_ += round_up<T>(elements) * static_cast<std::int64_t>(sizeof(T)) /
                 static_cast<std::int64_t>(sizeof(Real));
        return reinterpret_cast<T*>(piece);
    }
    template <class T>
    Matrix<T, Space> take(std::int64_t rows, std::int64_t columns) {
        return matrix<Space>(take<T>(rows * columns), rows, columns);
    }
    std::int64_t used() const { return used_; }

    template <class T>
    static std::int64_t round_up(std::int64_t elements) {
        constexpr std::int64_t line =
            activation_alignment * sizeof(Real) / static_cast<std::int64_t>(sizeof(T));
        return (elements + line - 1) / line * line;
    }

  private:
    Real* memory_;
    std::int64_t used_ = 0;
};

}  // namespace shardstone::reference
