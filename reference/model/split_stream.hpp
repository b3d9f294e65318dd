// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>

#include "kernels/tensor/matrix.hpp"
#include "reference/model/partition.hpp"
#include "reference/model/tensor_group.hpp"

namespace shardstone::reference {

/// `from` and `to` have equal shapes.
template <class Real>
void copy_rows(Matrix<Real> from, Matrix<Real> to) {
    for (std::int64_t r = 0; r < from.rows; ++r) std::copy_n(from.row(r), from.columns, to.row(r));
}

/// The residual stream as one tensor rank has it: of N = B*T rows its own N' (all of them without
/// sequence parallelism). "Whole" matrices have N rows; where sequence parallelism makes a
/// difference, whole ones live in room that is given, otherwise nothing is copied.
template <class Real>
class SplitStream {
  public:
    /// The tensor group must outlive this.
    SplitStream(const ModelPart& part, std::int64_t rows, TensorGroup<Real>& tensor)
        : splits_rows_(part.splits_rows()),
          alone_(part.tensor_ranks == 1),
          own_(part.stream_rows(rows)),
          tensor_(tensor) {}

    bool alone() const { return alone_; }
    std::int64_t first_row() const { return own_.first; }
    TensorGroup<Real>& tensor() const { return tensor_; }
    void meanwhile() const { tensor_.meanwhile(); }

    Matrix<Real> own_rows(Matrix<Real> whole) const {
        return {whole.row(own_.first), own_.count, whole.columns, whole.leading};
    }
    /// What is to become `own` by a sum over ranks goes here first.
    Matrix<Real> partial(Matrix<Real> own, Matrix<Real> room) const {
        return splits_rows_ ? room : own;
    }
    /// The own rows of the sum of the ranks' `partial` (N, C), in place.
    Matrix<Real> reduced(Matrix<Real> partial) const {
        tensor_.reduce(partial);
        return own_rows(partial);
    }
    /// All ranks' rows, where each has its own: in `room` (N, C), or `own` itself.
    Matrix<Real> collected(Matrix<Real> own, Matrix<Real> room) const {
        return splits_rows_ ? collected_copy(own, room) : own;
    }
    /// The same, in `room` in any case.
    Matrix<Real> collected_copy(Matrix<Real> own, Matrix<Real> room) const {
        copy_rows(own, own_rows(room));
        if (splits_rows_) tensor_.collect(room);
        return room;
    }

  private:
    bool splits_rows_, alone_;
    EvenShare own_;
    TensorGroup<Real>& tensor_;
};

}  // namespace shardstone::reference
