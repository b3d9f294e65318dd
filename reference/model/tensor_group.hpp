// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "kernels/base/element_type.hpp"
#include "kernels/base/error.hpp"
#include "kernels/tensor/matrix.hpp"

namespace shardstone::reference {

/// A matrix without gaps between its rows, of any element type.
struct Rows {
    void* data = nullptr;
    ElementType type = ElementType::fp32;
    std::int64_t rows = 0;
    std::int64_t columns = 0;

    template <class T>
    explicit Rows(Matrix<T> m)
        : data(m.data), type(element_traits<T>::type), rows(m.rows), columns(m.columns) {
        SHARDSTONE_EXPECTS(m.leading == m.columns);
    }
};

/// What the layers of a model need of the ranks that share them (Shoeybi et al. 2019, Megatron-LM;
/// Korthikanti et al. 2023 for sequence parallelism). All members are called in the same order on
/// all ranks of the group, and wait. The base class is a group of one rank: there is nothing to do.
///
/// A column-parallel layer comes after collect(), a row-parallel one before reduce(); backward, the
/// two change places.
class TensorGroup {
  public:
    TensorGroup() = default;
    TensorGroup(const TensorGroup&) = delete;
    TensorGroup& operator=(const TensorGroup&) = delete;
    virtual ~TensorGroup() = default;

    /// Before a column-parallel layer: with sequence parallelism an all-gather of rows, of which
    /// each rank has put its own (ModelPart::stream_rows) in their place; else every rank has all
    /// of them already.
    virtual void collect(const Rows&) {}
    /// After a row-parallel layer: the sum over ranks of (N, C) partial results; with sequence
    /// parallelism only the own rows of it (a reduce-scatter of rows), else all.
    virtual void reduce(const Rows&) {}
    /// Sum and maximum over ranks, element by element, on all of them.
    virtual void sum(const Rows&) {}
    virtual void max(const Rows&) {}
    /// Called between the products of a pass, without waiting and not by all ranks alike: what is
    /// under way beside the pass can be moved along here. Touches nothing that the pass does.
    virtual void meanwhile() {}
};

}  // namespace shardstone::reference
