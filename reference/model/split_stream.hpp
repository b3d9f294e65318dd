// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>

#include "kernels/tensor/matrix.hpp"
#include "kernels/transformer/narrow_rows.hpp"
#include "reference/model/partition.hpp"
#include "reference/model/tensor_group.hpp"

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
/// difference, whole ones live in room that is given, otherwise nothing is copied.
class SplitStream {
  public:
    /// The tensor group must outlive this.
    SplitStream(const ModelPart& part, std::int64_t rows, TensorGroup& tensor)
        : splits_rows_(part.splits_rows()),
          alone_(part.tensor_ranks == 1),
          own_(part.stream_rows(rows)),
          tensor_(tensor) {}

    bool alone() const { return alone_; }
    std::int64_t first_row() const { return own_.first; }
    TensorGroup& tensor() const { return tensor_; }
    void meanwhile() const { tensor_.meanwhile(); }

    template <class T>
    Matrix<T> own_rows(Matrix<T> whole) const {
        return {whole.row(own_.first), own_.count, whole.columns, whole.leading};
    }
    /// What is to become `own` by a sum over ranks goes here first.
    template <class T>
    Matrix<T> partial(Matrix<T> own, Matrix<T> room) const {
        return splits_rows_ ? room : own;
    }
    /// The own rows of the sum of the ranks' `partial` (N, C), in place.
    template <class T>
    Matrix<T> reduced(Matrix<T> partial) const {
        tensor_.reduce(Rows(partial));
        return own_rows(partial);
    }
    /// All ranks' rows, where each has its own: in `room` (N, C), or `own` itself if it is of the
    /// same type.
    template <class From, class T>
    Matrix<T> collected(Matrix<From> own, Matrix<T> room) const {
        if constexpr (std::is_same_v<From, T>) {
            if (!splits_rows_) return own;
        }
        return collected_copy(own, room);
    }
    /// The same, in `room` in any case.
    template <class From, class T>
    Matrix<T> collected_copy(Matrix<From> own, Matrix<T> room) const {
        copy_rows(own, own_rows(room));
        if (splits_rows_) tensor_.collect(Rows(room));
        return room;
    }

  private:
    bool splits_rows_, alone_;
    EvenShare own_;
    TensorGroup& tensor_;
};

}  // namespace shardstone::reference
