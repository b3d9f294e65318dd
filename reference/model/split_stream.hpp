// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <functional>
#include <type_traits>
#include <utility>

#include "kernels/tensor/matrix.hpp"
#include "kernels/transformer/narrow_rows.hpp"
#include "reference/model/partition.hpp"
#include "reference/model/rows.hpp"

namespace shardstone::reference {

/// `from` and `to` have equal shapes.
template <class T>
void copy_rows(Matrix<T> from, Matrix<T> to) {
    for (std::int64_t r = 0; r < from.rows; ++r) std::copy_n(from.row(r), from.columns, to.row(r));
}
/// The same, rounding.
template <class S>
requires(is_narrow<S>) void copy_rows(Matrix<compute_t<S>> from, Matrix<S> to) {
    narrow_rows<S>(from, to);
}

/// The residual stream as one tensor rank has it: of N = B*T rows its own N' (all of them without
/// sequence parallelism). "Whole" matrices have N rows; where sequence parallelism makes a
/// difference, whole ones live in a buffer that is given, otherwise nothing is copied. What fills
/// the rows of other ranks lies between two phases (unit_phases.hpp).
class SplitStream {
  public:
    /// `meanwhile`, if there is one, is called between the products of a computation: what is under
    /// way beside the pass can be moved along there, without waiting. It touches nothing that the
    /// pass does.
    SplitStream(const ModelPart& part, std::int64_t rows, std::function<void()> meanwhile)
        : splits_rows_(part.splits_rows()),
          own_(part.stream_rows(rows)),
          meanwhile_(std::move(meanwhile)) {}

    std::int64_t first_row() const { return own_.first; }
    void meanwhile() const {
        if (meanwhile_) meanwhile_();
    }

    template <class T>
    Matrix<T> own_rows(Matrix<T> whole) const {
        return {whole.row(own_.first), own_.count, whole.columns, whole.leading};
    }
    /// What is to become `own` by a sum over ranks goes here first.
    template <class T>
    Matrix<T> partial(Matrix<T> own, Matrix<T> buffer) const {
        return splits_rows_ ? buffer : own;
    }
    /// Where the whole of `own` comes to be: in `buffer` (N, C), or in `own` itself if that is all
    /// of it and of the same type.
    template <class From, class T>
    Matrix<T> whole(Matrix<From> own, Matrix<T> buffer) const {
        if constexpr (std::is_same_v<From, T>) {
            if (!splits_rows_) return own;
        }
        return buffer;
    }
    /// Puts the own rows there; returns the whole.
    template <class From, class T>
    Matrix<T> place(Matrix<From> own, Matrix<T> buffer) const {
        if constexpr (std::is_same_v<From, T>) {
            if (!splits_rows_) return own;
        }
        copy_rows(own, own_rows(buffer));
        return buffer;
    }

  private:
    bool splits_rows_;
    EvenShare own_;
    std::function<void()> meanwhile_;
};

}  // namespace shardstone::reference
