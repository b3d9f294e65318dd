// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>

#include "kernels/tensor/matrix.hpp"

namespace shardstone::reference {

/// What the layers of a model need of the ranks that share them (Shoeybi et al. 2019, Megatron-LM;
/// Korthikanti et al. 2023 for sequence parallelism). All members are called in the same order on
/// all ranks of the group, and wait. The base class is a group of one rank: there is nothing to do.
///
/// A column-parallel layer comes after collect(), a row-parallel one before reduce(); backward, the
/// two change places.
template <class Real>
class TensorGroup {
  public:
    TensorGroup() = default;
    TensorGroup(const TensorGroup&) = delete;
    TensorGroup& operator=(const TensorGroup&) = delete;
    virtual ~TensorGroup() = default;

    /// Before a column-parallel layer: with sequence parallelism an all-gather of rows, of which
    /// each rank has put its own (ModelPart::stream_rows) in their place; else every rank has all
    /// of them already.
    virtual void collect(Matrix<Real>) {}
    /// After a row-parallel layer: the sum over ranks of (N, C) partial results; with sequence
    /// parallelism only the own rows of it (a reduce-scatter of rows), else all.
    virtual void reduce(Matrix<Real>) {}
    /// Sum and maximum over ranks, element by element, on all of them.
    virtual void sum(std::span<Real>) {}
    virtual void max(std::span<Real>) {}
    /// Called between the products of a pass, without waiting and not by all ranks alike: what is
    /// under way beside the pass can be moved along here. Touches nothing that the pass does.
    virtual void meanwhile() {}
};

}  // namespace shardstone::reference
