// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <type_traits>
#include <utility>

#include "kernels/tensor/arrays.hpp"
#include "kernels/tensor/matrix.hpp"
#include "kernels/transformer/narrow_rows.hpp"
#include "reference/model/partition.hpp"
#include "reference/model/rows.hpp"

namespace shardstone::reference {

/// to = from, of the same shape; rounded if the types differ.
template <class From, class T, class Space>
void store_rows(typename Space::Queue queue, Matrix<From, Space> from, Matrix<T, Space> to) {
    if constexpr (std::is_same_v<From, T>) {
        copy_rows<T>(queue, from, to);
    } else {
        narrow_rows<T>(queue, from, to);
    }
}

/// The residual stream on one tensor rank: of N = B*T rows its own N' (all of them without sequence
/// parallelism). "Whole" matrices have N rows; with sequence parallelism over several ranks they
/// are in a buffer given by the caller, otherwise nothing is copied. The rows of other ranks are
/// filled by a transfer between two phases (unit_phases.hpp).
template <class Space = Host>
class SplitStream {
    using Queue = typename Space::Queue;

  public:
    /// The kernels of all layers are enqueued in `queue`. `meanwhile`, if set, is called between
    /// the products of a computation, to progress pending communication without blocking. It must
    /// not touch any data of the pass.
    SplitStream(Queue queue, const ModelPart& part, std::int64_t rows,
                std::function<void()> meanwhile)
        : queue_(queue),
          splits_rows_(part.splits_rows()),
          own_(part.stream_rows(rows)),
          meanwhile_(std::move(meanwhile)) {}

    Queue queue() const { return queue_; }
    std::int64_t first_row() const { return own_.first; }
    void meanwhile() const {
        if (meanwhile_) meanwhile_();
    }

    template <class T>
    Matrix<T, Space> own_rows(Matrix<T, Space> whole) const {
        return whole.rows_from(own_.first, own_.count);
    }
    /// The destination of this rank's partial result, from which a sum over ranks computes `own`.
    template <class T>
    Matrix<T, Space> partial(Matrix<T, Space> own, Matrix<T, Space> buffer) const {
        return splits_rows_ ? buffer : own;
    }
    /// Location of the whole of `own`: `buffer` (N, C), or `own` itself if it has all rows and the
    /// same type.
    template <class From, class T>
    Matrix<T, Space> whole(Matrix<From, Space> own, Matrix<T, Space> buffer) const {
        if constexpr (std::is_same_v<From, T>) {
            if (!splits_rows_) return own;
        }
        return buffer;
    }
    /// Copies the own rows there; returns the whole.
    template <class From, class T>
    Matrix<T, Space> place(Matrix<From, Space> own, Matrix<T, Space> buffer) const {
        if constexpr (std::is_same_v<From, T>) {
            if (!splits_rows_) return own;
        }
        store_rows(queue_, own, own_rows(buffer));
        return buffer;
    }

  private:
    Queue queue_;
    bool splits_rows_;
    EvenShare own_;
    std::function<void()> meanwhile_;
};

}  // namespace shardstone::reference
